package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.CallTable;
import io.github.vertxrdma.impl.link.Backpressure;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.process.LatencyHistogram;
import io.github.vertxrdma.impl.process.NodeName;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.vertx.core.Completable;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * Link that carries event bus messages. Confined to the event loop of its owner, a client or server. On a connectionless fabric the link
 * may use another event loop.
 */
final class BusLink implements MessageHandler {
  /** Maximum bytes of messages that wait for the peer, or for the client's event loop. Further messages fail. */
  static final long MAX_PENDING = 64L << 20;
  private static final AtomicLongFieldUpdater<BusLink> QUEUED_BYTES = AtomicLongFieldUpdater.newUpdater(BusLink.class, "queuedBytes");
  private static final Completable<Void> IGNORE = (v, cause) -> {
  };

  private final Link link;
  final EventLoop ownerLoop;
  private final boolean crossesLoops;
  private final boolean serves;
  private final Backpressure inbound;
  private final CallTable<Outstanding> table;
  private final Owner owner;
  private final int closeMillis;
  private final LatencyHistogram latencies;
  private volatile long queuedBytes;
  private int outstanding;
  private int inProgress;
  private boolean paused;
  private boolean draining;
  private boolean closing;
  private boolean ended;

  interface Owner {

    void incoming(BusLink link, Received message);

    /** @return true if the owner will send the request over another connection */
    default boolean unsent(Outstanding request) {
      return false;
    }

    void draining(BusLink link);

    void linkClosed(BusLink link, Throwable cause);
  }

  /**
   * Sets this object as the link's handler. Called on the link's event loop.
   *
   * @param ownerLoop event loop of the owner
   * @param serves true for a server, which pauses a peer while many replies to it wait. A client must not: both ends could wait for each
   * other
   */
  BusLink(Link link, EventLoop ownerLoop, boolean serves, CallTable<Outstanding> table, int closeMillis, Owner owner) {
    this.ownerLoop = ownerLoop;
    this.crossesLoops = link.loop().eventLoop() != ownerLoop;
    this.serves = serves;
    this.closeMillis = closeMillis;
    this.link = link;
    this.inbound = new Backpressure(link.loop().eventLoop(), link::pause);
    this.table = table;
    this.owner = owner;
    this.latencies = link.requestLatencies();
    link.handler(this);
  }

  /** Thread-safe. */
  String name() {
    return link.name();
  }

  /** Returns the name of the peer's node and the beginning of its id. Thread-safe. */
  String node() {
    return NodeName.words(link.peerName(), link.peer().nodeId());
  }

  ContextInternal context() {
    return link.loop().context();
  }

  private void onLink(Runnable task) {
    LoopCall.run(link.loop().eventLoop(), task);
  }

  /**
   * Returns whether requests can be sent. If the owner uses the link's event loop, returns false as soon as the link ends, before
   * {@link #closed} is called.
   */
  boolean isUsable() {
    return !draining && !closing && !ended && (crossesLoops || link.isOpen());
  }

  boolean hasEnded() {
    return ended;
  }

  /** Returns the failure if too many bytes wait for the peer, otherwise null. */
  Throwable refusal() {
    long pending = queuedBytes + link.pendingBytes();
    return pending > MAX_PENDING
      ? new RdmaException(Reason.LIMIT, "cannot send over the " + link.name() + ": " + pending + " bytes already wait for the peer, "
        + "and at most " + MAX_PENDING + " may. Wait for the futures of messages that were sent")
      : null;
  }

  void send(ByteBuf message, Completable<Void> done) {
    send(message, done, false);
  }

  private void send(ByteBuf message, Completable<Void> done, boolean answer) {
    if (!crossesLoops) {
      post(message, done, answer);
      return;
    }
    int size = message.readableBytes();
    QUEUED_BYTES.addAndGet(this, size);
    boolean accepted = LoopCall.execute(link.loop().eventLoop(), () -> {
      // Subtracts the size first, since a message counted twice could be refused.
      QUEUED_BYTES.addAndGet(this, -size);
      post(message, done, answer);
    });
    if (!accepted) {
      QUEUED_BYTES.addAndGet(this, -size);
      message.release();
      if (done != null) {
        done.fail(LoopCall.closed());
      }
    }
  }

  private void post(ByteBuf message, Completable<Void> done, boolean answer) {
    if (!answer || !serves) {
      link.send(message, done);
    } else if (link.sendNow(message)) {
      message.release();
    } else {
      int size = message.readableBytes();
      inbound.add(size);
      link.send(message, (v, cause) -> {
        inbound.remove(size);
        if (cause != null && done != null) {
          done.fail(cause);
        }
      });
    }
  }

  void sendRequest(ByteBuf message, Outstanding request) {
    sendRequest(message, request, false);
  }

  private void sendRequest(ByteBuf message, Outstanding request, boolean answer) {
    request.link = this;
    outstanding++;
    message.setInt(message.readerIndex() + BusWire.ID, (int) request.id());
    ByteBuf kept = answer ? null : message.retain();
    if (!crossesLoops) {
      request.message = kept;
      post(message, request, answer);
      return;
    }
    send(message, (v, cause) -> {
      if (cause != null) {
        boolean accepted = LoopCall.execute(ownerLoop, () -> {
          request.message = kept;
          request.complete(null, cause);
          request.releaseMessage();
        });
        if (!accepted && kept != null) {
          kept.release();
        }
      } else if (kept != null) {
        kept.release();
      }
    }, answer);
  }

  void sendFailed(Outstanding request, Throwable cause) {
    if (request.message != null && Instances.isUnsent(cause) && request.isSet() && owner.unsent(request)) {
      requestEnded();
    } else if (table.remove(request)) {
      request.failed(cause);
      requestEnded();
    }
  }

  void answer(ByteBuf message) {
    RdmaException refusal = tooLarge(message);
    if (refusal == null) {
      send(message, null, true);
    } else {
      refuse(message, refusal);
    }
  }

  /** Sends a reply that itself waits for a reply. If that fails, both ends get an error. */
  void request(ByteBuf message, Outstanding request, int timeoutMillis) {
    RdmaException refusal = table.isFull()
      ? new RdmaException(Reason.LIMIT, link.name() + ": cannot send a reply that itself expects a reply: "
        + table.size() + " requests already wait for replies")
      : tooLarge(message);
    if (refusal != null) {
      refuse(message, refusal);
      request.failed(refusal);
      return;
    }
    table.add(request, timeoutMillis);
    sendRequest(message, request, true);
  }

  /** Encodes a failure with its codec, or as a plain one if that is too large for this link. */
  ByteBuf encode(int id, ReplyException failure) {
    ByteBuf all = BusWire.failure(id, failure, context().owner());
    if (all.readableBytes() <= link.maxMessageSize()) {
      return all;
    }
    all.release();
    return BusWire.failure(id, failure, null);
  }

  private RdmaException tooLarge(ByteBuf message) {
    int size = message.readableBytes();
    return size <= link.maxMessageSize() ? null : new RdmaException(Reason.TOO_LARGE, link.name() + ": cannot send a reply of "
      + size + " bytes: at most " + link.maxMessageSize() + " bytes are allowed. Raise maxMessageSize at both ends");
  }

  private void refuse(ByteBuf answer, RdmaException why) {
    int id = answer.getInt(answer.readerIndex() + BusWire.ANSWERS);
    answer.release();
    send(BusWire.failure(id, BusAnswer.asReply(why), null), null, true);
  }

  @Override
  public void message(ByteBuf frame) {
    if (crossesLoops) {
      int size = frame.readableBytes();
      inbound.add(size);
      LoopCall.execute(ownerLoop, () -> {
        inbound.remove(size);
        arrived(frame);
      });
    } else {
      arrived(frame);
    }
  }

  private void arrived(ByteBuf frame) {
    try {
      Received message = Received.of(frame);
      switch (message.kind()) {
        case BusWire.SEND, BusWire.PUBLISH, BusWire.REQUEST -> owner.incoming(this, message);
        case BusWire.REPLY -> {
          Outstanding request = take(message.answers());
          if (request != null) {
            latencies.record(request.age());
            answered(request, message);
            requestEnded();
          }
        }
        case BusWire.FAILURE -> {
          ReplyException failure = message.failure(context().owner());
          Outstanding request = take(message.answers());
          if (request != null) {
            request.failed(failure);
            requestEnded();
          }
        }
        case BusWire.DRAIN -> owner.draining(this);
        default -> broken("the peer sent a message of unknown kind " + message.kind());
      }
    } catch (IllegalArgumentException e) {
      broken("the peer sent an invalid message: " + e.getMessage());
    }
  }

  private Outstanding take(int id) {
    Outstanding request = table.get(Integer.toUnsignedLong(id));
    return request != null && request.link == this && table.remove(request) ? request : null;
  }

  private void answered(Outstanding request, Received reply) {
    try {
      request.answered(reply);
    } catch (IllegalArgumentException e) {
      request.failed(e);
      broken("the peer sent an invalid reply: " + e.getMessage());
    }
  }

  void broken(String how) {
    fail(new RdmaException(Reason.PROTOCOL, link.name() + ": " + how + ". If both nodes have the same version of vertx-rdma, report "
      + "this"));
  }

  /** Counts a request of the peer. Pauses the peer when {@code most} are in progress. */
  void began(int most) {
    if (++inProgress >= most && !paused) {
      paused = true;
      onLink(() -> inbound.hold(true));
    }
  }

  void answered(int most) {
    if (--inProgress <= most / 2 && paused) {
      paused = false;
      onLink(() -> inbound.hold(false));
    }
  }

  int inProgress() {
    return inProgress;
  }

  void requestEnded() {
    outstanding--;
    closeWhenDrained();
  }

  void drain() {
    draining = true;
    closeWhenDrained();
  }

  private void closeWhenDrained() {
    if (draining && outstanding == 0 && !ended) {
      close();
    }
  }

  void close() {
    if (!closing) {
      closing = true;
      onLink(() -> link.shutdown(closeMillis, IGNORE));
    }
  }

  void fail(Throwable cause) {
    onLink(() -> link.fail(cause));
  }

  @Override
  public void closed(Throwable cause) {
    LoopCall.run(ownerLoop, () -> ended(cause));
  }

  private void ended(Throwable cause) {
    Throwable why = cause != null ? cause
      : new RdmaException(closing ? Reason.CLOSED : Reason.CONNECTION_LOST, link.name() + " was closed by "
        + (closing ? "this side" : "the peer") + " before a reply arrived");
    ended = true;
    table.fail(request -> request.link == this, why);
    owner.linkClosed(this, why);
  }
}
