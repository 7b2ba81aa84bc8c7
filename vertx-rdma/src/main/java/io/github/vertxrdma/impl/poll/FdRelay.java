package io.github.vertxrdma.impl.poll;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.TimeUnit;

/** Thread that watches fds for event loops that cannot. It ends with its last user. Thread-safe. */
final class FdRelay {
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

  /** Blocks. */
  IoRegistration register(IoHandle handle) {
    return loop.register(handle).syncUninterruptibly().getNow();
  }

  /** @return completed on the relay's thread when the fd is out of the epoll set */
  Future<Void> cancel(IoRegistration registration) {
    Promise<Void> cancelled = Promise.promise();
    loop.execute(() -> {
      registration.cancel();
      cancelled.complete();
    });
    return cancelled.future();
  }
}
