package io.github.vertxrdma.impl.poll;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.vertx.core.Future;

/** Watches an fd in the loop's own epoll set or ring, otherwise in that of the {@link FdRelay}. Confined to the loop. */
abstract class FdWatch implements EpollIoHandle {
  private static final boolean RING_SUPPORT = ringSupport();

  final EventLoop loop;
  final Runnable onReadable;
  private final FileDescriptor fd;
  private boolean woke;
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

  /** @param onReadable runs on the loop while the fd is readable; through a relay or in a ring once per {@link #again} */
  static FdWatch of(EventLoop loop, FileDescriptor fd, Runnable onReadable) {
    return hasEpoll(loop) ? new Own(loop, fd, onReadable)
      : hasRing(loop) ? RingWatch.of(loop, fd, onReadable) : new Relayed(loop, fd, onReadable);
  }

  /** Called before {@link #start}, not on the loop. Blocks. */
  void prepare() {
  }

  abstract void start();

  void pause() {
  }

  void again() {
    woke = false;
  }

  final boolean woke() {
    return woke;
  }

  /**
   * Stops watching. Idempotent.
   *
   * @return completed when the fd may be closed, since Netty keys registrations by fd number
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
    private boolean masked;

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

    /** Masks the fd and does not remove it: the user may have no epoll watches left to add it again. */
    @Override
    void pause() {
      if (!masked) {
        masked = true;
        registration.submit(EpollIoOps.EPOLLERR);
      }
    }

    @Override
    void again() {
      super.again();
      if (masked) {
        masked = false;
        registration.submit(EpollIoOps.EPOLLIN);
      }
    }

    @Override
    Future<Void> stop() {
      if (registration != null) {
        // Refused by a loop that has terminated with its registrations.
        LoopCall.execute(Runnable::run, registration::cancel);
      }
      return Future.succeededFuture();
    }
  }

  private static final class Relayed extends FdWatch {
    private FdRelay relay;
    private volatile boolean masked;
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

    /** Called on the relay's thread. The mask is EPOLLERR, since Netty cannot enable an fd again after an empty mask. */
    @Override
    public void handle(IoRegistration registration, IoEvent event) {
      registration.submit(EpollIoOps.EPOLLERR);
      masked = true;
      LoopCall.execute(loop, onReadable);
    }

    @Override
    void again() {
      super.again();
      if (masked) {
        masked = false;
        registration.submit(EpollIoOps.EPOLLIN);
      }
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
}
