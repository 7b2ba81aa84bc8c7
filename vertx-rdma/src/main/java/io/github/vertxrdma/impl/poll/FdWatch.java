package io.github.vertxrdma.impl.poll;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.TimeUnit;

/**
 * Watches a file descriptor (fd): in the loop's epoll set, or for other loops with the thread of {@link FdRelay}. Confined to the loop.
 */
final class FdWatch implements EpollIoHandle {
  private final EventLoop loop;
  private final FileDescriptor fd;
  private final Runnable onReadable;
  private final boolean isRelayed;
  private boolean woke;
  private volatile boolean masked;
  private IoRegistration registration;
  private FdRelay relay;
  private Future<Void> stopped;

  /** @param onReadable runs on the loop while the fd is readable; with a relay, at most once per call of again() */
  FdWatch(EventLoop loop, FileDescriptor fd, Runnable onReadable) {
    this.loop = loop;
    this.fd = fd;
    this.isRelayed = !hasEpoll(loop);
    this.onReadable = () -> {
      woke = true;
      onReadable.run();
    };
  }

  static boolean possible(EventLoop loop) {
    return hasEpoll(loop) || Epoll.isAvailable();
  }

  static boolean hasEpoll(EventLoop loop) {
    return loop instanceof IoEventLoop io && io.isCompatible(FdWatch.class);
  }

  /** Called before start(), not on the loop. Not needed if the loop has epoll. Blocks. */
  void prepare() {
    if (isRelayed) {
      relay = FdRelay.acquire();
      registration = register(relay.loop);
    }
  }

  void start() {
    if (!isRelayed) {
      registration = register((IoEventLoop) loop);
    }
    registration.submit(EpollIoOps.EPOLLIN);
  }

  private IoRegistration register(IoEventLoop watching) {
    return watching.register(this).syncUninterruptibly().getNow();
  }

  @Override
  public void handle(IoRegistration registration, IoEvent event) {
    if (isRelayed) {
      mask();
      LoopCall.execute(loop, onReadable);
    } else {
      onReadable.run();
    }
  }

  /** Masks the fd instead of removing it, because a later addition could exceed the user's limit of epoll watches. */
  void pause() {
    if (!isRelayed && !masked) {
      mask();
    }
  }

  void again() {
    woke = false;
    if (masked) {
      masked = false;
      registration.submit(EpollIoOps.EPOLLIN);
    }
  }

  /** Ignores input of the fd until again(). Keeps watching EPOLLERR, because Netty cannot enable an fd after an empty mask. */
  private void mask() {
    registration.submit(EpollIoOps.EPOLLERR);
    masked = true;
  }

  boolean woke() {
    return woke;
  }

  /**
   * Stops watching. Idempotent.
   *
   * @return completed when the fd may be closed; Netty finds registrations by fd number until then
   */
  Future<Void> stop() {
    if (stopped == null) {
      stopped = Future.succeededFuture();
      if (relay != null) {
        stopped = (registration == null ? stopped : relay.cancel(registration)).onComplete(cancelled -> relay.release());
      } else if (registration != null) {
        // A terminated loop rejects the call, but has no registrations.
        LoopCall.execute(Runnable::run, registration::cancel);
      }
    }
    return stopped;
  }

  @Override
  public FileDescriptor fd() {
    return fd;
  }

  @Override
  public void close() {
  }

  /** Thread that watches fds for event loops that cannot. Ends when the last user releases it. Thread-safe. */
  static final class FdRelay {
    private static FdRelay instance;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("vertx-rdma-relay", true),
      EpollIoHandler.newFactory());
    private final IoEventLoop loop = group.next();
    private int users;

    private FdRelay() {
    }

    static synchronized FdRelay acquire() {
      if (instance == null) {
        instance = new FdRelay();
      }
      instance.users++;
      return instance;
    }

    void release() {
      synchronized (FdRelay.class) {
        if (--users > 0) {
          return;
        }
        instance = null;
      }
      group.shutdownGracefully(0, 5, TimeUnit.SECONDS);
    }

    Future<Void> cancel(IoRegistration registration) {
      Promise<Void> cancelled = Promise.promise();
      loop.execute(() -> {
        registration.cancel();
        cancelled.complete();
      });
      return cancelled.future();
    }
  }
}
