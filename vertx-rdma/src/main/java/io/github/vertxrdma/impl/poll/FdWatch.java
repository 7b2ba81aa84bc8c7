package io.github.vertxrdma.impl.poll;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
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
 * Watches a file descriptor (fd) in the loop's epoll set or io_uring. Loops without either use the thread of {@link FdRelay}. Confined to
 * the loop.
 */
abstract class FdWatch implements EpollIoHandle {
  private static final boolean RING_SUPPORT = ringSupport();

  final EventLoop loop;
  final Runnable onReadable;
  private final FileDescriptor fd;
  private boolean woke;
  volatile boolean masked;
  IoRegistration registration;

  FdWatch(EventLoop loop, FileDescriptor fd, Runnable onReadable) {
    this.loop = loop;
    this.fd = fd;
    this.onReadable = () -> {
      woke = true;
      onReadable.run();
    };
  }

  static boolean possible(EventLoop loop) {
    return hasEpoll(loop) || hasRing(loop) || Epoll.isAvailable();
  }

  static boolean hasEpoll(EventLoop loop) {
    return loop instanceof IoEventLoop io && io.isCompatible(Own.class);
  }

  private static boolean hasRing(EventLoop loop) {
    return RING_SUPPORT && loop instanceof IoEventLoop io && io.isCompatible(RingWatch.class);
  }

  private static boolean ringSupport() {
    try {
      Class.forName("io.netty.channel.uring.IoUringIoHandle", false, FdWatch.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** @param onReadable runs on the loop while the fd is readable; with a relay or io_uring, at most once per call of again() */
  static FdWatch of(EventLoop loop, FileDescriptor fd, Runnable onReadable) {
    return hasEpoll(loop) ? new Own(loop, fd, onReadable)
      : hasRing(loop) ? RingWatch.of(loop, fd, onReadable) : new Relayed(loop, fd, onReadable);
  }

  /** Called before start(), not on the loop. Blocks. */
  void prepare() {
  }

  abstract void start();

  void pause() {
  }

  void again() {
    woke = false;
    if (masked) {
      masked = false;
      registration.submit(EpollIoOps.EPOLLIN);
    }
  }

  /** Ignores input of the fd until again(). Keeps watching EPOLLERR, because Netty cannot enable an fd after an empty mask. */
  final void mask() {
    registration.submit(EpollIoOps.EPOLLERR);
    masked = true;
  }

  final boolean woke() {
    return woke;
  }

  /**
   * Stops watching. Idempotent.
   *
   * @return completed when the fd may be closed; Netty finds registrations by fd number until then
   */
  abstract Future<Void> stop();

  @Override
  public final FileDescriptor fd() {
    return fd;
  }

  @Override
  public void close() {
  }

  private static final class Own extends FdWatch {
    Own(EventLoop loop, FileDescriptor fd, Runnable onReadable) {
      super(loop, fd, onReadable);
    }

    @Override
    void start() {
      registration = ((IoEventLoop) loop).register(this).syncUninterruptibly().getNow();
      registration.submit(EpollIoOps.EPOLLIN);
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
      onReadable.run();
    }

    /** Masks the fd instead of removing it, because a later addition could exceed the user's limit of epoll watches. */
    @Override
    void pause() {
      if (!masked) {
        mask();
      }
    }

    @Override
    Future<Void> stop() {
      if (registration != null) {
        // A terminated loop rejects the call, but has no registrations.
        LoopCall.execute(Runnable::run, registration::cancel);
      }
      return Future.succeededFuture();
    }
  }

  private static final class Relayed extends FdWatch {
    private FdRelay relay;
    private Future<Void> stopped;

    Relayed(EventLoop loop, FileDescriptor fd, Runnable onReadable) {
      super(loop, fd, onReadable);
    }

    @Override
    void prepare() {
      relay = FdRelay.acquire();
      registration = relay.register(this);
    }

    @Override
    void start() {
      registration.submit(EpollIoOps.EPOLLIN);
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
      mask();
      LoopCall.execute(loop, onReadable);
    }

    @Override
    Future<Void> stop() {
      if (stopped == null) {
        stopped = relay == null ? Future.succeededFuture()
          : (registration == null ? Future.<Void>succeededFuture() : relay.cancel(registration))
            .onComplete(cancelled -> relay.release());
      }
      return stopped;
    }
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

    IoRegistration register(IoHandle handle) {
      return loop.register(handle).syncUninterruptibly().getNow();
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
