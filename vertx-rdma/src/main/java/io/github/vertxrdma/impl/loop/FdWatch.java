package io.github.vertxrdma.impl.loop;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.vertx.core.Future;
import java.util.concurrent.RejectedExecutionException;

/**
 * Watches an fd for an event loop: in the loop's own epoll set or ring if it has one, otherwise in the epoll set of the process's
 * {@link FdRelay}. Used on the event loop.
 */
abstract class FdWatch implements EpollIoHandle {
  /** Whether Netty's optional io_uring is on the class path. */
  private static final boolean RINGS = hasRings();

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

  /** Whether an fd can be watched for a loop of that kind. */
  static boolean possible(EventLoop loop) {
    return own(loop) || ring(loop) || Epoll.isAvailable();
  }

  /** Returns whether the loop has an epoll set that an fd can be added to. */
  static boolean own(EventLoop loop) {
    return loop instanceof IoEventLoop io && io.isCompatible(Own.class);
  }

  private static boolean ring(EventLoop loop) {
    return RINGS && loop instanceof IoEventLoop io && io.isCompatible(RingWatch.class);
  }

  private static boolean hasRings() {
    try {
      Class.forName("io.netty.channel.uring.IoUringIoHandle", false, FdWatch.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** @param onReadable runs on the loop while the fd is readable; through a relay or in a ring once per {@link #again} */
  static FdWatch of(EventLoop loop, FileDescriptor fd, Runnable onReadable) {
    return own(loop) ? new Own(loop, fd, onReadable)
      : ring(loop) ? RingWatch.of(loop, fd, onReadable) : new Relayed(loop, fd, onReadable);
  }

  /** Off the loop, before {@link #start}: may wait for another thread. */
  void prepare() {
  }

  abstract void start();

  /** The fd need not be watched until {@link #again}. */
  void pause() {
  }

  /** Called when what made the fd readable has been dealt with. */
  void again() {
    woke = false;
  }

  /** Whether the fd was readable since that. */
  final boolean woke() {
    return woke;
  }

  /** Idempotent. @return completed when the fd may be closed; not before, since Netty keys registrations by fd number */
  abstract Future<Void> stop();

  @Override
  public final FileDescriptor fd() {
    return fd;
  }

  /** Called when the loop ends. The fd belongs to another object and stays open. */
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

    /** Masked, not taken out: to add it again the user may have no epoll watches left. */
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
        try {
          registration.cancel();
        } catch (RejectedExecutionException e) {
          // The loop has terminated, and its registrations with it.
        }
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

    /** On the relay's thread. The mask is EPOLLERR: Netty cannot add an fd again that was masked with nothing at all. */
    @Override
    public void handle(IoRegistration registration, IoEvent event) {
      registration.submit(EpollIoOps.EPOLLERR);
      masked = true;
      EventLoopHost.tryExecute(loop, onReadable);
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
