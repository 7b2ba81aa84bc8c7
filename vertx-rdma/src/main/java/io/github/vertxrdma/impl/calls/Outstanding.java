package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;

/** Request that waits for its reply or deadline. Confined to the event loop of its table. */
abstract class Outstanding extends Deadline implements Completable<Void> {
  OutstandingTable table;
  int id;
  int timeoutMillis;
  /** Null before a connection is lost that has not sent the request. */
  Attempts attempts;
  /** Connection in use, or null. */
  BusLink link;
  /** The message of a client's request that is not sent yet; null otherwise. */
  ByteBuf message;

  @Override
  protected final void expired() {
    table.expired(this);
  }

  /** Called when the message is posted or cannot be. */
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

  /** Drops the reply if the caller's context has ended. @throws IllegalArgumentException if the reply's body is invalid */
  final void answered(Received reply) {
    LoopCall.attempt(Outstanding::deliver, this, reply);
  }

  /** Called when no reply will come. */
  final void failed(Throwable cause) {
    LoopCall.attempt(Outstanding::deliverFailure, this, cause);
  }

  abstract void deliver(Received reply);

  abstract void deliverFailure(Throwable cause);
}
