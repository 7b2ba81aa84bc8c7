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
 * Link with event bus messages, for both ends. Confined to its owner's event loop. On a connectionless fabric the link's loop may differ;
 * then calls and messages change loops.
 */
final class BusLink implements MessageHandler {
  /** Limit of bytes waiting for the peer, and of bytes waiting for the client's loop. */
  static final long MAX_PENDING = 64L << 20;
  private static final AtomicLongFieldUpdater<BusLink> LEAVING = AtomicLongFieldUpdater.newUpdater(BusLink.class, "leaving");
  private static final Completable<Void> NOBODY = (v, cause) -> {
  };

  private final Link link;
  private final EventLoop home;
  private final boolean foreign;
  private final boolean serves;
  /** Inbound messages waiting for the owner; at the serving end also queued replies. */
  private final Backpressure inbound;
  private final OutstandingTable table;
  private final Owner owner;
  private final int closeMillis;
  private final LatencyHistogram latencies;
  /** Bytes waiting for the link's loop, if it differs. */
  private volatile long leaving;
  private int outstanding;
  private int underWay;
  private boolean heldBack;
  private boolean draining;
  private boolean closing;
  private boolean over;

  /** The client or server that owns the link. On its loop. */
  interface Owner {

    /** Called for a send, publish or request. */
    void incoming(BusLink link, Received message);

    /** Called when the peer accepts no more requests. */
    void draining(BusLink link);

    /** @param cause failure of pending requests */
    void over(BusLink link, Throwable cause);
  }

  /**
   * Becomes the link's handler, on the link's loop.
   *
   * @param home the owner's loop
   * @param serves true for the server, where queued replies pause the peer; at both ends this could deadlock
   * @param closeMillis time that a close waits for the peer
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

  /** Any thread. */
  String name() {
    return link.name();
  }

  /** Any thread. */
  EventLoop home() {
    return home;
  }

  /** Any thread. */
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
   * Returns whether the peer accepts requests, as far as known. On the link's own loop false as soon as the link ends, since handlers of
   * failed messages may send again before {@link #closed}.
   */
  boolean isUsable() {
    return !draining && !closing && !over && (foreign || link.isOpen());
  }

  boolean isOver() {
    return over;
  }

  // ---- to the peer

  /** Returns why nothing can be sent now, or null. */
  Throwable refusal() {
    long pending = leaving + link.pendingBytes();
    return pending > MAX_PENDING
      ? new RdmaException(Reason.LIMIT, link.name() + ": " + pending + " bytes wait to be taken by the peer, at most "
        + MAX_PENDING + " may; wait for the futures of what was sent")
      : null;
  }

  /** @param done completed when the message is posted; may be null */
  void send(ByteBuf message, Completable<Void> done) {
    send(message, done, false);
  }

  /** @param answer true for a reply */
  private void send(ByteBuf message, Completable<Void> done, boolean answer) {
    if (!foreign) {
      post(message, done, answer);
      return;
    }
    int size = message.readableBytes();
    LEAVING.addAndGet(this, size);
    link.loop().eventLoop().execute(() -> {
      // First, as counting the message twice could refuse another one.
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

  /** Sends a request, which is in the table. */
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

  /** Called when a request cannot be sent. */
  void refused(Outstanding request, Throwable cause) {
    if (table.take(request.id, this) != null) {
      request.failed(cause);
      settled();
    }
  }

  /** Sends a reply. If it is too large, the requester gets an error. */
  void answer(ByteBuf message) {
    RdmaException refusal = tooLarge(message);
    if (refusal == null) {
      send(message, null, true);
    } else {
      refuse(message, refusal);
    }
  }

  /** Sends a reply that requests one in turn. If too many are pending or it is too large, both ends get an error. */
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

  /** Sends an error in place of a reply. */
  private void refuse(ByteBuf answer, RdmaException why) {
    int id = answer.getInt(answer.readerIndex() + Wire.ANSWERS);
    answer.release();
    send(Wire.failure(id, BusAnswer.asReply(why)), null, true);
  }

  // ---- inbound

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
      // The request is not in the table any more.
      request.failed(e);
      broken("sent a reply that is none: " + e.getMessage());
    }
  }

  /** Fails the link because the peer broke the protocol. */
  void broken(String how) {
    fail(new RdmaException(Reason.PROTOCOL, link.name() + ": the peer " + how));
  }

  /** Counts a request of the peer in progress. Too many pause the peer. */
  void began(int most) {
    if (++underWay >= most && !heldBack) {
      heldBack = true;
      onLink(() -> inbound.hold(true));
    }
  }

  /** Counts a request of the peer as answered. */
  void answered(int most) {
    if (--underWay <= most / 2 && heldBack) {
      heldBack = false;
      onLink(() -> inbound.hold(false));
    }
  }

  /** Requests of the peer in progress. */
  int underWay() {
    return underWay;
  }

  // ---- close

  /** Called when a request of this side has ended. */
  void settled() {
    outstanding--;
    closeWhenSettled();
  }

  /** Closes when the last request of this side has ended. */
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
