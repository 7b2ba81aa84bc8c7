package io.github.vertxrdma.impl.bus;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.link.Backpressure;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.statistics.LatencyHistogram;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.vertx.core.Completable;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * A link that carries messages of the event bus; the same at both ends. Confined to the event loop of its owner. The link's own is mostly
 * the same; on a connectionless fabric it may be another one, and then everything hops.
 */
final class BusLink implements MessageHandler {
  /** Bytes that may wait for the peer to take them; as many may wait for the client's event loop. */
  static final long MAX_PENDING = 64L << 20;
  private static final AtomicLongFieldUpdater<BusLink> LEAVING = AtomicLongFieldUpdater.newUpdater(BusLink.class, "leaving");
  private static final Completable<Void> NOBODY = (v, cause) -> {
  };

  private final Link link;
  private final EventLoop home;
  private final boolean foreign;
  private final boolean serves;
  /** Messages on their way to the owner, and at the serving end answers on theirs to the peer. */
  private final Backpressure inbound;
  private final OutstandingTable table;
  private final Owner owner;
  private final int closeMillis;
  private final LatencyHistogram latencies;
  /** Bytes on their way to the link's loop, where that is another one. */
  private volatile long leaving;
  private int outstanding;
  private int underWay;
  private boolean heldBack;
  private boolean draining;
  private boolean closing;
  private boolean over;

  /** The client or server that owns it. On its loop. */
  interface Owner {

    /** A send, publish or request came. */
    void incoming(BusLink link, Received message);

    /** The peer takes no more requests. */
    void draining(BusLink link);

    /** It is over. @param cause why its requests failed */
    void over(BusLink link, Throwable cause);
  }

  /**
   * Becomes the link's handler; on the link's loop.
   *
   * @param home the owner's loop
   * @param serves whether this is the serving end, where answers that wait for the peer to take them hold it back; if they did at both
   *   ends, each could wait for the other
   * @param closeMillis how long closing waits for the peer
   */
  BusLink(Link link, EventLoop home, boolean serves, OutstandingTable table, int closeMillis, Owner owner) {
    this.home = home;
    this.foreign = link.loop().eventLoop() != home;
    this.serves = serves;
    this.closeMillis = closeMillis;
    this.link = link;
    this.inbound = new Backpressure(link.loop().eventLoop(), link::pause);
    this.table = table;
    this.owner = owner;
    this.latencies = link.requestLatencies();
    link.handler(this);
  }

  /** Both ends, for messages; any thread. */
  String name() {
    return link.name();
  }

  /** The owner's loop; any thread. */
  EventLoop home() {
    return home;
  }

  /** A context; any thread. */
  ContextInternal context() {
    return link.loop().context();
  }

  private void onLink(Runnable task) {
    if (foreign) {
      link.loop().eventLoop().execute(task);
    } else {
      task.run();
    }
  }

  /**
   * Returns whether the peer takes requests, as far as this side knows. On the link's own loop that is false from the moment at which the
   * link ends, which fails messages before {@link #closed}: their handlers may send again.
   */
  boolean isUsable() {
    return !draining && !closing && !over && (foreign || link.isOpen());
  }

  boolean isOver() {
    return over;
  }

  // ---- to the peer

  /** Why nothing more can be sent now; null if it can. */
  Throwable refusal() {
    long pending = leaving + link.pendingBytes();
    return pending > MAX_PENDING
      ? new RdmaException(Reason.LIMIT, link.name() + ": " + pending + " bytes wait to be taken by the peer, at most "
        + MAX_PENDING + " may; wait for the futures of what was sent")
      : null;
  }

  /** Sends a message. @param done hears when it was handed to the fabric; null for nobody */
  void send(ByteBuf message, Completable<Void> done) {
    send(message, done, false);
  }

  /** @param answer whether the peer asked for it */
  private void send(ByteBuf message, Completable<Void> done, boolean answer) {
    if (!foreign) {
      post(message, done, answer);
      return;
    }
    int size = message.readableBytes();
    LEAVING.addAndGet(this, size);
    link.loop().eventLoop().execute(() -> {
      // First: counted twice for a moment it could have another message refused.
      LEAVING.addAndGet(this, -size);
      post(message, done, answer);
    });
  }

  /** On the link's loop. */
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

  /** Sends a message that wants an answer; its request is in the table. */
  void sendRequest(ByteBuf message, Outstanding request) {
    sendRequest(message, request, false);
  }

  private void sendRequest(ByteBuf message, Outstanding request, boolean answer) {
    request.link = this;
    outstanding++;
    message.setInt(message.readerIndex() + Wire.ID, request.id);
    send(message, !foreign ? request : (v, cause) -> {
      if (cause != null) {
        home.execute(() -> request.complete(null, cause));
      }
    }, answer);
  }

  /** A request was not sent: it is too large, or the link is over. */
  void refused(Outstanding request, Throwable cause) {
    if (table.take(request.id, this) != null) {
      request.failed(cause);
      settled();
    }
  }

  /** Sends an answer. Whoever waits for one that is larger than a message may be is told. */
  void answer(ByteBuf message) {
    RdmaException refusal = tooLarge(message);
    if (refusal == null) {
      send(message, null, true);
    } else {
      refuse(message, refusal);
    }
  }

  /**
   * Sends a reply and waits for the answer to it, as long as it says. Where too many wait already, or it is too large, both ends are told.
   */
  void request(ByteBuf message, Outstanding request, int timeoutMillis) {
    RdmaException refusal = table.isFull()
      ? new RdmaException(Reason.LIMIT, link.name() + ": a reply that wants an answer was refused, since "
        + table.size() + " requests wait for theirs")
      : tooLarge(message);
    if (refusal != null) {
      refuse(message, refusal);
      request.failed(refusal);
      return;
    }
    table.add(request, timeoutMillis);
    sendRequest(message, request, true);
  }

  private RdmaException tooLarge(ByteBuf message) {
    int size = message.readableBytes();
    return size <= link.maxMessageSize() ? null : new RdmaException(Reason.TOO_LARGE, link.name() + ": a reply of " + size
      + " bytes was refused: at most " + link.maxMessageSize() + " bytes, see maxMessageSize of both ends");
  }

  /** Tells the peer why it gets no answer. */
  private void refuse(ByteBuf answer, RdmaException why) {
    int id = answer.getInt(answer.readerIndex() + Wire.ANSWERS);
    answer.release();
    send(Wire.failure(id, BusAnswer.asReply(why)), null, true);
  }

  // ---- from the peer

  @Override
  public void message(ByteBuf frame) {
    if (foreign) {
      int size = frame.readableBytes();
      inbound.add(size);
      home.execute(() -> {
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
        case Wire.SEND, Wire.PUBLISH, Wire.REQUEST -> owner.incoming(this, message);
        case Wire.REPLY -> {
          Outstanding request = table.take(message.answers(), this);
          if (request != null) {
            latencies.record(table.age(request));
            answered(request, message);
            settled();
          }
        }
        case Wire.FAILURE -> {
          ReplyException failure = message.failure();
          Outstanding request = table.take(message.answers(), this);
          if (request != null) {
            request.failed(failure);
            settled();
          }
        }
        case Wire.DRAIN -> owner.draining(this);
        default -> broken("sent a message of unknown kind " + message.kind());
      }
    } catch (IllegalArgumentException e) {
      broken("sent a message that is none: " + e.getMessage());
    }
  }

  private void answered(Outstanding request, Received reply) {
    try {
      request.answered(this, reply);
    } catch (IllegalArgumentException e) {
      // It is out of the table: nobody else would end it.
      request.failed(e);
      broken("sent a reply that is none: " + e.getMessage());
    }
  }

  /** The peer breaks the protocol. */
  void broken(String how) {
    fail(new RdmaException(Reason.PROTOCOL, link.name() + ": the peer " + how));
  }

  /** A request of the peer is being worked on; too many hold it back. */
  void began(int most) {
    if (++underWay >= most && !heldBack) {
      heldBack = true;
      onLink(() -> inbound.hold(true));
    }
  }

  /** One of them was answered. */
  void answered(int most) {
    if (--underWay <= most / 2 && heldBack) {
      heldBack = false;
      onLink(() -> inbound.hold(false));
    }
  }

  /** Requests of the peer that are being worked on. */
  int underWay() {
    return underWay;
  }

  // ---- the end

  /** A request of this side is over. */
  void settled() {
    outstanding--;
    closeWhenSettled();
  }

  /** Closes when the last request of this side is over. */
  void drain() {
    draining = true;
    closeWhenSettled();
  }

  private void closeWhenSettled() {
    if (draining && outstanding == 0 && !over) {
      close();
    }
  }

  void close() {
    if (!closing) {
      closing = true;
      onLink(() -> link.shutdown(closeMillis, NOBODY));
    }
  }

  /** Breaks it. */
  void fail(Throwable cause) {
    onLink(() -> link.fail(cause));
  }

  @Override
  public void closed(Throwable cause) {
    if (foreign) {
      home.execute(() -> ended(cause));
    } else {
      ended(cause);
    }
  }

  private void ended(Throwable cause) {
    Throwable why = cause != null ? cause
      : new RdmaException(closing ? Reason.CLOSED : Reason.CONNECTION_LOST, link.name() + " was closed by "
        + (closing ? "this side" : "the peer") + " before there was an answer");
    over = true;
    table.fail(this, why);
    owner.over(this, why);
  }
}
