package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.Reasons;
import io.github.vertxrdma.impl.framing.FrameHandler;
import io.github.vertxrdma.impl.framing.FrameStream;
import io.github.vertxrdma.impl.framing.StreamState;
import io.github.vertxrdma.impl.message.MessageReceiver;
import io.github.vertxrdma.impl.message.MessageSender;
import io.github.vertxrdma.impl.message.WriteCompletion;
import io.github.vertxrdma.impl.process.NodeName;
import io.github.vertxrdma.impl.rma.RmaQueue;
import io.github.vertxrdma.impl.statistics.LatencyHistogram;
import io.github.vertxrdma.impl.wire.ControlFrame;
import io.github.vertxrdma.impl.wire.Frame;
import io.github.vertxrdma.impl.wire.Greeting;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * The open life of a connection between two ends that have agreed to it: messages of any size in order with credits, remote memory
 * operations, orderly end and close. The same on every fabric; what differs is decided from the capabilities when it is made. Confined to
 * its loop.
 */
public final class Link implements FrameHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Link.class);

  private final FrameStream stream;
  private final DeviceLoop loop;
  private final LinkRole role;
  private final LinkWatcher watcher;
  private final Greeting peer;
  private final MessageSender sender;
  private final MessageReceiver receiver;
  /** Null before the first remote memory operation: most links have messages alone. */
  private RmaQueue rma;
  private final KeepAlive keepAlive;
  private final Closing closing;
  private MessageHandler handler;
  private FrameService service;
  /** Null before the first. */
  private Flushes flushes;
  /** Whether a write completes when the peer has acknowledged it. */
  private boolean acknowledgesWrites;
  /** Error of the last message that came after the end or the close; null if there was none. */
  private RdmaException refused;
  /** True when the peer has ended, and is not just out of reach. */
  private boolean peerEnded;
  private int failedOperations;
  /** Kept, since who is gone is not in the directory any more; empty as long as it is not known. */
  private volatile String peerName = "";

  private Link(FrameStream stream, LinkRole role, LinkWatcher watcher, Greeting peer, boolean inSegments) {
    this.stream = stream;
    this.loop = stream.loop;
    this.role = loop.common(role);
    this.watcher = watcher;
    this.peer = loop.common(peer.settled());
    this.keepAlive = new KeepAlive(this, stream);
    this.sender = new MessageSender(stream, this.peer.nodeId(), inSegments);
    this.receiver = new MessageReceiver(stream, new Reader());
    this.closing = new Closing(this, stream, sender, receiver);
  }

  /** Makes the link of a stream whose two ends have agreed. */
  public static Link open(FrameStream stream, LinkRole role, LinkWatcher watcher, Greeting peer) {
    boolean wakeable = false;
    try {
      wakeable = stream.waker.opened(peer.wakeAddress());
    } catch (IOException e) {
      LOG.warn(stream.name() + ": it cannot be woken from here, so it polls: " + e.getMessage());
    }
    // A remote read from a peer that has to be woken takes rounds of both processes.
    Link link = new Link(stream, role, watcher, peer, wakeable);
    stream.opened(link, peer);
    if (wakeable) {
      stream.out.control(Frame.WAKEABLE);
    }
    if (!link.isOver()) {
      watcher.opened(link);
      link.keepAlive.begin(role.isExchanged());
    }
    return link;
  }

  // ---- facts

  /** The peer's greeting: who it is and what it asked for; any thread. */
  public Greeting peer() {
    return peer;
  }

  /** The device loop it runs on; any thread. */
  public DeviceLoop loop() {
    return loop;
  }

  public Endpoint endpoint() {
    return stream.endpoint();
  }

  /** Its remote memory operations. On the loop. */
  public RmaQueue rma() {
    if (rma == null) {
      rma = new RmaQueue(stream);
    }
    return rma;
  }

  /** Remote memory operations posted or waiting. */
  public int rmaPending() {
    return rma == null ? 0 : rma.pending();
  }

  /** Remote memory operations that were completed. */
  long rmaCompleted() {
    return rma == null ? 0 : rma.completed();
  }

  /** Latencies of the requests that go over it, recorded by one thread. */
  public LatencyHistogram requestLatencies() {
    return stream.counters.requests();
  }

  /** Tells whether this side may use it: it is not over, and nobody has closed it. */
  public boolean isOpen() {
    return stream.state() == StreamState.OPEN;
  }

  public boolean isOver() {
    return stream.isOver();
  }

  /** Error for who wants something of it after its end; null before. */
  public Throwable overCause() {
    return isOver() ? stream.overCause() : null;
  }

  /** Largest message that both sides take, in bytes. */
  public int maxMessageSize() {
    return Math.min(peer.maxMessageSize(), loop.options.maxMessageSize());
  }

  @Override
  public long pendingBytes() {
    return sender.pendingBytes();
  }

  /**
   * Bytes of the heap that the peer's messages take which are not delivered.
   *
   * @param read those that are read from its memory, or that came in frames
   */
  public long heldBytes(boolean read) {
    return receiver.heldBytes(read);
  }

  /** Control frames that wait for credits of the peer, or for a place in the queue. */
  public int waitingFrames() {
    return stream.out.waiting();
  }

  /** The peer's name for people; empty if it is not known. Any thread. */
  public String peerName() {
    if (peerName.isEmpty()) {
      peerName = watcher.nameOf(peer.nodeId());
    }
    return peerName;
  }

  @Override
  public String name() {
    String who = NodeName.words(peerName(), peer.nodeId());
    return role.describe() + who + (who.isEmpty() ? "" : " at ") + stream.endpoint().remoteAddress() + " over "
      + loop.domain.device().name();
  }

  // ---- who stands on it

  /** Sets who receives messages; told at once, in a task of its own, if the link is over already. */
  public void handler(MessageHandler value) {
    handler = value;
    if (stream.isOver()) {
      loop.host.execute(() -> value.closed(stream.overCause()));
    }
  }

  /** Sets a protocol beside messages. */
  public void service(FrameService value) {
    service = value;
  }

  // ---- messages

  /**
   * Sends a message.
   *
   * @param message released here, also when it fails
   * @param done completed when the last of it was handed to the fabric, or when it arrives, see {@link #completeWritesOnArrival}; may be
   *   null
   */
  public void send(ByteBuf message, Completable<Void> done) {
    Completable<Void> written = acknowledgesWrites ? null : done;
    if (!canSendNow(message) || !sender.sendNow(message, written)) {
      Throwable refusal = refusal(message);
      if (refusal != null) {
        message.release();
        if (done != null) {
          done.fail(refusal);
        }
        return;
      }
      sender.send(message, written);
    }
    if (acknowledgesWrites && done != null) {
      flush(done);
    }
  }

  private Throwable refusal(ByteBuf message) {
    Throwable refusal = null;
    if (stream.isOver() || stream.state() == StreamState.PEER_GONE) {
      refusal = stream.overCause();
    } else if (!closing.takesMessages()) {
      refused = new RdmaException(Reason.CLOSED, "cannot write to " + name() + ": it was ended or closed");
      refusal = refused;
    } else if (message.readableBytes() > maxMessageSize()) {
      refusal = new RdmaException(Reason.TOO_LARGE, "message of " + message.readableBytes() + " bytes to " + name() + " refused: at most "
        + maxMessageSize() + " bytes, see maxMessageSize of both ends");
    }
    return refusal;
  }

  /**
   * Sends a message if it can be handed to the fabric at once, as most small ones can.
   *
   * @param message copied from its readable bytes, and its owner's again on return
   * @return false if it has to go through {@link #send}, which takes it or fails with the reason
   */
  public boolean sendNow(ByteBuf message) {
    return canSendNow(message) && sender.sendNow(message);
  }

  private boolean canSendNow(ByteBuf message) {
    return canSendNow(message.readableBytes());
  }

  private boolean canSendNow(int bytes) {
    return closing.takesMessages() && bytes <= maxMessageSize();
  }

  /**
   * Begins a message that {@link #append} makes and {@link #finish} sends, if it can be handed to the fabric at once. Nothing else is
   * sent in between.
   *
   * @param bytes most bytes of the message
   */
  public boolean begin(int bytes) {
    return canSendNow(bytes) && sender.begin(bytes);
  }

  /** Copies a buffer to the message that was begun. The buffer stays the caller's. */
  public void append(ByteBuf bytes) {
    sender.append(bytes);
  }

  /** Sends the message that was begun. @param done as of {@link #send} */
  public void finish(Completable<Void> done) {
    sender.finish(acknowledgesWrites ? null : done);
    if (acknowledgesWrites) {
      flush(done);
    }
  }

  /**
   * Makes a write complete when its message arrives even if this process ends at that moment, instead of when it is handed to the fabric.
   * Called before the first message.
   *
   * @return true if a write lasts a round trip to the peer
   */
  public boolean completeWritesOnArrival() {
    WriteCompletion completion = WriteCompletion.onArrival(loop.capabilities);
    sender.completion(completion);
    acknowledgesWrites = completion == WriteCompletion.ACKNOWLEDGED_BY_PEER;
    return completion != WriteCompletion.IN_SHARED_MEMORY;
  }

  /**
   * Waits for what was written so far.
   *
   * @param done completed when the peer has received all of it; fails if something came too late to be sent
   */
  public void flush(Completable<Void> done) {
    if (stream.isOver() || refused != null) {
      done.fail(stream.isOver() ? stream.overCause() : refused);
      return;
    }
    if (flushes == null) {
      flushes = new Flushes(stream, sender, keepAlive);
    }
    flushes.add(done);
  }

  /** Memory for a message to be sent: registered, or of the heap if it is short or there is no room. */
  public Future<ByteBuf> allocate(int size) {
    return sender.allocate(size);
  }

  /** Stops or resumes granting the peer credits for messages. */
  public void pause(boolean on) {
    receiver.pause(on);
  }

  /** Sets whether the handler releases the messages it gets, so that large ones may lie in registered memory. */
  public void zeroCopy(boolean on) {
    receiver.zeroCopy(on);
  }

  /** Sets whether the handler views messages in memory of the peer's, where the fabric maps it. */
  public void views(boolean on) {
    receiver.views(on);
  }

  // ---- the service's frames

  /** Sends a frame of the service. @param payload at most {@link #maxPayload} bytes, null for none */
  public void sendFrame(int type, int flags, long a, long b, byte[] payload) {
    if (stream.state().isOpen()) {
      stream.out.control(type, flags, a, b, payload);
    }
  }

  /** Bytes of payload that a frame of the service can carry; any thread. */
  public int maxPayload() {
    return Frame.room(Greeting.LEAST_BUFFER, loop.prefix);
  }

  /** Asks for a {@link FrameService#turnEnd}. */
  public void wantsTurnEnd() {
    loop.turn.dirty(stream);
  }

  // ---- end and close

  /** Ends this side's messages. @param done completed when the peer has all of them */
  public void end(Completable<Void> done) {
    closing.end(done);
  }

  /**
   * Closes in order: everything written goes out, the peer acknowledges, then the endpoint ends. Takes as long as the peer takes something.
   *
   * @param done fails if the peer did not get everything
   */
  public void close(Completable<Void> done) {
    closing.close(loop.options.closeIdleMillis(), done);
  }

  /** Bounds the messages that are still written before a {@link #close} as that bounds them: it fails if the peer takes nothing. */
  public void closing() {
    closing.closing(loop.options.closeIdleMillis());
  }

  /** Closes in order within a time. @param done fails if the peer did not acknowledge everything by then */
  public void shutdown(long timeoutMillis, Completable<Void> done) {
    closing.shutdown(timeoutMillis, done);
  }

  /** Breaks it. */
  public void fail(Throwable why) {
    stream.fail(why);
  }

  /**
   * Ends the link when everything that arrived is read. Called when another channel found that the peer is dead.
   *
   * @param certain whether its process is known to have ended; otherwise it may just be out of reach
   */
  public void peerDead(String why, boolean certain) {
    peerGone("is dead", why, certain);
  }

  /** Ends the link when everything that arrived is read. Called when another channel found that the peer ended its side. */
  public void peerEnded(String why) {
    peerGone("has ended it", why, true);
  }

  @Override
  public void notConnected(ProviderException cause) {
    peerGone("is gone", cause == null ? "its endpoint takes nothing more" : Reasons.words(cause), false);
  }

  private void peerGone(String what, String why, boolean ended) {
    if (isOver()) {
      return;
    }
    peerEnded |= ended;
    if (stream.state().isBeforeClose()) {
      stream.state(StreamState.PEER_GONE);
    }
    keepAlive.ended(what, why);
  }

  /** Returns whether another channel will tell soon if the peer's process has ended, which is not known yet. */
  boolean awaitsReportOfDeath() {
    return !peerEnded && watcher.reportsDeath(this);
  }

  /** Returns the number of messages and remote memory operations that failed since the link ended. On the loop. */
  public int failedOperations() {
    return failedOperations;
  }

  /**
   * Returns whether the link ended since the peer did, and everything that the peer had written was delivered. Messages whose writes had
   * not completed may be lost. A peer that is out of reach has not ended.
   */
  public boolean hasPeerEnded() {
    return peerEnded;
  }

  /** Ends the link. @param what became of the peer */
  void peerLost(String what, String why) {
    closing.peerGone(() -> stream.peerLost(what, why));
  }

  /** Pings a peer that seems to have ended. The link ends if the endpoint has ended already, or nothing arrives within a second. */
  public void suspect(String why) {
    if (stream.state() == StreamState.PEER_GONE) {
      peerDead(why, true);
    } else if (!isOver()) {
      keepAlive.suspect(why);
    }
  }

  // ---- for its close

  /** Asks the peer for a sign of life. */
  public void ask() {
    if (stream.canPost()) {
      keepAlive.askOnce();
    }
  }

  /**
   * Ends the link if it has been silent for {@code deadTimeout} and nothing arrives within a second. Called when the peer's event loops are
   * known to run and to have asked over its links, so that the path must be cut. A link that is being closed ends so, too.
   */
  public void cutOff() {
    if (!isOver()) {
      keepAlive.cutOff();
    }
  }

  /** Has the watcher look for evidence of what became of a silent peer. */
  void silent() {
    watcher.silent(this);
  }

  /** The peer sends no more messages. */
  void ended() {
    handler.ended();
  }

  // ---- frames

  /** Receives messages for the handler of the moment. */
  private final class Reader implements MessageReceiver.Owner {
    @Override
    public void view(MemorySegment message) {
      handler.view(message);
    }

    @Override
    public void message(ByteBuf message) {
      handler.message(message);
    }

    @Override
    public void ended() {
      closing.peerEnded();
    }

    @Override
    public int ask() {
      return keepAlive.ask();
    }

    @Override
    public RmaQueue rma() {
      return Link.this.rma();
    }
  }

  @Override
  public void data(int type, int flags, long a, long b, MemorySegment memory, long at, int length) {
    receiver.data(type, flags, a, b, memory, at, length);
  }

  @Override
  public void deliver() {
    receiver.deliver();
  }

  @Override
  public void control(ControlFrame frame) {
    switch (frame.type()) {
      case Frame.CREDIT -> {
      }
      case Frame.RKEY -> receiver.key(frame);
      case Frame.ATS -> acknowledged(frame);
      case Frame.END -> receiver.end();
      case Frame.END_ACK -> closing.endAcknowledged();
      case Frame.CLOSE -> closing.peerCloses();
      case Frame.CLOSE_ACK -> closing.closeAcknowledged();
      case Frame.PING -> stream.out.control(Frame.PONG);
      case Frame.PONG -> {
        if (keepAlive.answered()) {
          receiver.answered(keepAlive.answers());
        } else {
          stream.violation("answered a question that was not asked");
        }
      }
      case Frame.WAKEABLE -> stream.waker.wakeable();
      default -> {
        if (service != null) {
          service.frame(frame.type(), frame.flags(), frame.a(), frame.b(), frame.payload(), frame.length());
        } else {
          stream.violation("sent " + Frame.name(frame.type()) + ", but this connection has no remote memory");
        }
      }
    }
  }

  private void acknowledged(ControlFrame frame) {
    for (int at = 0; at + Frame.NAME <= frame.length() && !stream.isOver(); at += Frame.NAME) {
      sender.acknowledged(Frame.word(frame.payload(), at));
    }
  }

  @Override
  public void turnEnd() {
    if (service != null) {
      service.turnEnd();
    }
    receiver.turnEnd();
    stream.flush();
    sender.flush();
    if (rma != null) {
      rma.flush();
    }
    if (flushes != null) {
      flushes.turnEnd();
    }
    closing.turnEnd();
  }

  @Override
  public void asked() {
    keepAlive.asked();
  }

  @Override
  public void measureRoundTrip() {
    if (isOpen()) {
      keepAlive.measureRoundTrip();
    }
  }

  @Override
  public boolean awaitsPeer() {
    return rmaPending() > 0;
  }

  @Override
  public ConnectionStatistics statistics() {
    return new ConnectionStatistics(peer.nodeId(), String.valueOf(stream.endpoint().remoteAddress()), Greeting.shown(role.service()),
      role.isConnector(),
      isOpen(), stream.counters.traffic(), stream.credits.data(), stream.credits.control(), sender.pendingBytes(), stream.out.underWay(),
      rmaPending(), sender.unread(), keepAlive.roundTripNanos());
  }

  // ---- the end

  @Override
  public void disconnected(ProviderException why) {
    peerEnded |= why.reason() == ProviderException.Reason.PEER_ENDED;
    closing.disconnected(why);
  }

  @Override
  public Throwable explained(Throwable why) {
    return closing.explained(why);
  }

  @Override
  public void over(Throwable cause) {
    failedOperations = sender.unfinished() + rmaPending();
    loop.liveness.forget(keepAlive);
    Throwable unproven = closing.isAcknowledged() ? null : stream.overCause();
    loop.all(() -> stream.out.completeUnproven(unproven), sender::fail, () -> {
      if (rma != null) {
        rma.fail();
      }
    }, receiver::fail, () -> closing.over(cause), this::endFlushes, () -> watcher.over(this, cause), () -> {
      if (service != null) {
        service.closed(cause);
      }
    }, () -> {
      if (handler != null) {
        handler.closed(cause);
      }
    });
  }

  private void endFlushes() {
    if (flushes != null) {
      flushes.over(closing.isAcknowledged() ? null : stream.overCause());
    }
  }

  @Override
  public void closed() {
    receiver.close();
    sender.close();
  }

  @Override
  public void quarantined() {
    if (rma != null) {
      rma.quarantined();
    }
  }

  @Override
  public void destroyed() {
    if (rma != null) {
      rma.destroyed();
    }
  }
}
