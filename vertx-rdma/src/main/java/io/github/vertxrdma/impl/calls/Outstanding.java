package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.CallTable;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.poll.Scheduler;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;

/** Event bus request that waits for a reply. Confined to the event loop of its table. */
abstract class Outstanding extends CallTable.PendingCall implements Completable<Void> {
  /** Number of connections over which a client has tried to send the request. */
  int attempts = 1;
  BusLink link;
  /** Message of a client's request while it is unsent; otherwise null. */
  ByteBuf message;

  static CallTable<Outstanding> table(Scheduler loop, String service, int max) {
    return new CallTable<>(loop::deadlines, loop::nanoTime, max, Integer.SIZE, millis -> new ReplyException(ReplyFailure.TIMEOUT,
      "Timed out after waiting " + millis + "(ms) for a reply. service: " + service));
  }

  @Override
  protected final void expired() {
    super.expired();
    if (link != null) {
      link.requestEnded();
    }
  }

  @Override
  protected final void removed() {
    releaseMessage();
  }

  @Override
  public final void complete(Void done, Throwable cause) {
    if (cause != null) {
      link.sendFailed(this, cause);
    } else {
      releaseMessage();
    }
  }

  final void releaseMessage() {
    if (message != null) {
      message.release();
      message = null;
    }
  }

  final void answered(Received reply) {
    LoopCall.attempt(Outstanding::deliver, this, reply);
  }

  @Override
  protected final void failed(Throwable cause) {
    LoopCall.attempt(Outstanding::deliverFailure, this, cause);
  }

  /** Returns a failure that names the service, if the connection to it has ended. */
  final Throwable named(String service, Throwable cause) {
    return link != null && cause instanceof RdmaException end && (end.reason() == Reason.CONNECTION_LOST || end.reason() == Reason.CLOSED)
      ? Instances.named("service '" + service + "' of node " + link.node(), end) : cause;
  }

  abstract void deliver(Received reply);

  abstract void deliverFailure(Throwable cause);
}
