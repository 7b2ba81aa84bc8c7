package io.github.vertxrdma.impl.poll;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoOps;
import io.vertx.core.Future;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;

/** Watches an fd in the io_uring(7) of an event loop, by one poll operation at a time. Loaded only if Netty's io_uring classes exist. */
final class RingWatch extends FdWatch implements IoUringIoHandle {
  private static final Logger LOG = LoggerFactory.getLogger(RingWatch.class);
  /** IORING_OP_POLL_ADD and IORING_OP_ASYNC_CANCEL of linux/io_uring.h. */
  private static final byte POLL_ADD = 6;
  private static final byte ASYNC_CANCEL = 14;
  /** POLLIN of poll(2). */
  private static final int READABLE = 1;
  /** -ECANCELED of errno(3). */
  private static final int CANCELED = -125;

  private final IoUringIoOps poll;
  private long operation;
  private boolean polling;
  private boolean failed;

  private RingWatch(EventLoop loop, FileDescriptor fd, Runnable onReadable) {
    super(loop, fd, onReadable);
    poll = operation(POLL_ADD, fd.intValue(), 0, READABLE);
  }

  static FdWatch of(EventLoop loop, FileDescriptor fd, Runnable onReadable) {
    return new RingWatch(loop, fd, onReadable);
  }

  private static IoUringIoOps operation(byte code, int fd, long target, int events) {
    return new IoUringIoOps(code, (byte) 0, (short) 0, fd, 0, target, 0, events, (short) 0, (short) 0, (short) 0, 0, 0);
  }

  @Override
  void start() {
    registration = ((IoEventLoop) loop).register(this).syncUninterruptibly().getNow();
    submit();
  }

  private void submit() {
    if (!polling && registration.isValid()) {
      polling = true;
      operation = registration.submit(poll);
    }
  }

  @Override
  void again() {
    super.again();
    submit();
  }

  @Override
  public void handle(IoRegistration registration, IoEvent event) {
    IoUringIoEvent end = (IoUringIoEvent) event;
    if (end.opcode() != POLL_ADD) {
      return;
    }
    polling = false;
    if (end.res() < 0 && end.res() != CANCELED && !failed) {
      failed = true;
      LOG.warn("cannot watch file descriptor " + fd().intValue() + " with io_uring: errno " + -end.res() + ". Its event loop polls "
        + "instead");
    }
    if (registration.isValid()) {
      onReadable.run();
    }
  }

  /** Submits the cancellation first, because a cancelled registration accepts no operations. */
  @Override
  Future<Void> stop() {
    if (registration != null && registration.isValid()) {
      if (polling) {
        registration.submit(operation(ASYNC_CANCEL, -1, operation, 0));
      }
      registration.cancel();
    }
    return Future.succeededFuture();
  }

  @Override
  public void close() {
    stop();
  }
}
