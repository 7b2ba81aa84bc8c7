package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.Reasons;
import io.github.vertxrdma.impl.process.LatencyHistogram;
import io.github.vertxrdma.provider.Capabilities.SendCompletion;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.io.IOException;

/**
 * Connection between two nodes that carries ordered messages and remote memory operations. Hides the differences between fabrics. Confined
 * to its event loop.
 */
public final class Link {
  private static final Logger LOG = LoggerFactory.getLogger(Link.class);
  private static final Refusals UNWAKEABLE = new Refusals(LOG, System::nanoTime);

  private final FrameStream stream;
  private final DeviceLoop loop;
  private final LinkWatcher watcher;
  private final Greeting peer;
  private final MessageSender sender;
  final MessageReceiver receiver;
  /** Created when first used: connections that only send messages need none. */
  private RmaQueue rma;
  final KeepAlive keepAlive;
  final Closing closing;
  MessageHandler handler;
  private FrameService service;
  private Flushes flushes;
  private boolean acknowledgesWrites;
  private final int maxMessageSize;
  private RdmaException refused;
  /** True if the peer is known to have ended; false if it may only be unreachable. */
  private boolean peerEnded;
  private boolean peerLeft;
  private boolean processEnded;
  private int failedOperations;
  /** Cached, since the directory removes the name when the peer leaves. */
  private volatile String peerName = "";

  private Link(FrameStream stream, LinkWatcher watcher, Greeting peer, boolean inSegments) {
    this.stream = stream;
    this.loop = stream.loop;
    this.watcher = watcher;
    this.peer = loop.intern(peer.withoutHandshake());
    this.maxMessageSize = Math.min(peer.maxMessageSize(), loop.options.maxMessageSize());
    this.keepAlive = new KeepAlive(this, stream);
    this.sender = new MessageSender(stream, this.peer.nodeId(), inSegments);
    this.receiver = new MessageReceiver(stream, this);
    this.closing = new Closing(this, stream, sender, receiver);
  }

  public static Link open(FrameStream stream, LinkRole role, LinkWatcher watcher, Greeting peer) {
    boolean wakeable = false;
    try {
      wakeable = stream.waker.opened(peer.wakeAddress());
    } catch (IOException e) {
      UNWAKEABLE.log(stream.name() + ": cannot wake the peer, which notices messages by a timer instead: " + e.getMessage());
    }
    // If the peer has to be woken, sends large messages in segments: each remote read would wake both processes.
    Link link = new Link(stream, watcher, peer, wakeable);
    stream.opened(link, role, peer);
    if (wakeable) {
      stream.out.control(Frame.WAKEABLE);
    }
    if (!link.isClosed()) {
      watcher.opened(link);
      link.keepAlive.begin(role.isExchanged());
    }
    return link;
  }

  /** Thread-safe. */
  public Greeting peer() {
    return peer;
  }

  /** Thread-safe. */
  public DeviceLoop loop() {
    return loop;
  }

  public Endpoint endpoint() {
    return stream.endpoint();
  }

  /** Returns the peer's network, or the same object for all peers of this host. Limits what peers of one source may use. */
  public Object source() {
    return stream.source();
  }

  public RmaQueue rma() {
    if (rma == null) {
      rma = new RmaQueue(stream);
    }
    return rma;
  }

  public int rmaPending() {
    return rma == null ? 0 : rma.pending();
  }

  long rmaCompleted() {
    return rma == null ? 0 : rma.completed();
  }

  public LatencyHistogram requestLatencies() {
    return stream.counters.requests();
  }

  public boolean isOpen() {
    return stream.state() == LinkState.OPEN;
  }

  public boolean isClosed() {
    return stream.isClosed();
  }

  /** Returns why the link closed, or null while it is open. */
  public Throwable closeCause() {
    return isClosed() ? stream.closeCause() : null;
  }

  /** Returns whether the link was closed by this side or the peer, without failure. Messages may be lost if it was the peer. */
  public boolean isClosedInOrder() {
    return isClosed() && (stream.cause() == null || closing.isByPeer(stream.cause()));
  }

  /** Returns the failure that closed the link, also if only messages were lost; null for none, and while the link is open. */
  public Throwable failure() {
    return stream.cause();
  }

  public boolean isConnector() {
    return stream.isConnector();
  }

  public int maxMessageSize() {
    return maxMessageSize;
  }

  public long pendingBytes() {
    return sender.pendingBytes();
  }

  public int waitingFrames() {
    return stream.out.waiting();
  }

  /** Returns the name of the peer's node; empty if unknown. Thread-safe. */
  public String peerName() {
    if (peerName.isEmpty()) {
      peerName = watcher.nameOf(peer.nodeId());
    }
    return peerName;
  }

  public String name() {
    return stream.name();
  }

  /** Sets the message handler. Calls its {@code closed} asynchronously if the link has closed. */
  public void handler(MessageHandler value) {
    handler = value;
    if (stream.isClosed()) {
      loop.host.execute(() -> value.closed(stream.closeCause()));
    }
  }

  public void service(FrameService value) {
    service = value;
  }

  /**
   * Sends a message, or queues it while credit or memory is missing.
   *
   * @param message released by the link, also on failure
   * @param done completed when the message is posted or, after {@link #completeWritesOnArrival}, when its arrival is certain; may be null
   */
  public void send(ByteBuf message, Completable<Void> done) {
    Completable<Void> written = acknowledgesWrites ? null : done;
    if (!canSendNow(message.readableBytes()) || !sender.sendNow(message, true, written)) {
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
    if (stream.isClosed() || stream.state() == LinkState.PEER_ENDED) {
      refusal = Reasons.ofUnsent(stream.closeCause());
    } else if (!takesMessages()) {
      refused = new RdmaException(Reason.CLOSED, "cannot write to the " + name() + ": this side has ended or closed it", null, false);
      refusal = refused;
    } else if (message.readableBytes() > maxMessageSize()) {
      refusal = new RdmaException(Reason.TOO_LARGE, "cannot send a message of " + message.readableBytes() + " bytes over the "
        + name() + ": at most " + maxMessageSize() + " bytes are allowed. Raise maxMessageSize at both ends");
    }
    return refusal;
  }

  /**
   * Sends a message if it can be posted immediately.
   *
   * @param message copied; the caller still owns it
   * @return false if the caller must call {@link #send}
   */
  public boolean sendNow(ByteBuf message) {
    return canSendNow(message.readableBytes()) && sender.sendNow(message, false, null) && stream.canPost();
  }

  private boolean canSendNow(int bytes) {
    return takesMessages() && bytes <= maxMessageSize;
  }

  private boolean takesMessages() {
    return stream.state() == LinkState.OPEN && !sender.isEnded();
  }

  /**
   * Begins a message that {@link #append} fills and {@link #finish} posts. No other message may come in between.
   *
   * @return false if the message cannot be posted immediately
   */
  public boolean begin(int bytes) {
    return canSendNow(bytes) && sender.begin(bytes);
  }

  public void append(ByteBuf bytes) {
    sender.append(bytes);
  }

  public void finish(Completable<Void> done) {
    sender.finish(acknowledgesWrites ? null : done);
    if (acknowledgesWrites) {
      flush(done);
    }
  }

  /**
   * Makes writes complete when their messages will arrive even if this process ends, not when they are posted.
   *
   * @return true if completing a write then takes a round trip
   */
  public boolean completeWritesOnArrival() {
    SendCompletion completion = loop.capabilities.sendCompletion();
    sender.completion(completion);
    acknowledgesWrites = completion == SendCompletion.LOCAL;
    return completion != SendCompletion.SHARED_MEMORY;
  }

  /** @param done completed when the peer has received all earlier messages; fails if one was refused */
  public void flush(Completable<Void> done) {
    if (stream.isClosed() || refused != null) {
      done.fail(stream.isClosed() ? stream.closeCause() : refused);
      return;
    }
    if (flushes == null) {
      flushes = new Flushes(stream, sender, keepAlive);
    }
    flushes.add(done);
  }

  /** Allocates registered memory for an outgoing message, or heap memory if that is not possible. */
  public Future<ByteBuf> allocate(int size) {
    return sender.allocate(size);
  }

  /** Stops or resumes granting the peer credits for messages. */
  public void pause(boolean on) {
    receiver.pause(on);
  }

  /**
   * Sets how messages reach the handler without a copy.
   *
   * @param zeroCopy true for messages in registered memory, which the handler releases
   * @param viewed true for {@link MessageHandler#view}
   */
  public void inPlace(boolean zeroCopy, boolean viewed) {
    receiver.inPlace(zeroCopy, viewed);
  }

  public void sendFrame(int type, int flags, long a, long b, byte[] payload) {
    if (stream.state().isOpen()) {
      stream.out.control(type, flags, a, b, payload);
    }
  }

  /** Thread-safe. */
  public int maxPayload() {
    return Frame.room(Greeting.LEAST_BUFFER, loop.prefix);
  }

  public void wantsTurnEnd() {
    loop.turn.dirty(stream);
  }

  public void end(Completable<Void> done) {
    if (stream.isClosed() || stream.state() == LinkState.PEER_ENDED) {
      done.fail(stream.closeCause());
    } else if (!takesMessages()) {
      done.fail(new RdmaException(Reason.CLOSED, "cannot end the " + name() + (sender.isEnded() ? " twice" : ": it was closed")));
    } else {
      sender.end(done);
    }
  }

  /** Closes the link after all messages are delivered, or fails it if the peer makes no progress for the close idle timeout. */
  public void close(Completable<Void> done) {
    closing.close(done);
  }

  /** Fails the link if the peer makes no progress from now on. Called before {@link #close}. */
  public void failWithoutProgress() {
    closing.failWithoutProgress();
  }

  /**
   * Closes the link in an orderly way.
   *
   * @param done fails if the peer does not acknowledge the close in time
   */
  public void shutdown(long timeoutMillis, Completable<Void> done) {
    closing.shutdown(timeoutMillis, done);
  }

  public void fail(Throwable why) {
    stream.fail(why);
  }

  /** Closes the link after all arrived frames are read. @param certain false if the peer may only be unreachable */
  public void peerDead(String why, boolean certain) {
    processEnded |= certain;
    peerGone("the peer is dead", why, certain);
  }

  /** Closes the link, since the peer's node left in an orderly way, after all arrived frames are read. The link does not count as lost. */
  public void peerLeft(String why) {
    peerLeft = true;
    peerGone("the peer has left", why, true);
  }

  public void peerEnded(String why) {
    peerGone("the peer has ended the connection", why, true);
  }

  /** Called when a post finds the endpoint disconnected. Earlier messages of the peer may still arrive. */
  void notConnected(ProviderException cause) {
    peerGone("the peer has ended", cause == null ? "its endpoint is disconnected" : Reasons.words(cause, loop().domain.device()), false);
  }

  private void peerGone(String what, String why, boolean ended) {
    if (isClosed()) {
      return;
    }
    peerEnded |= ended;
    if (stream.state().isBeforeClose()) {
      stream.state(LinkState.PEER_ENDED);
    }
    keepAlive.ended(what, why);
  }

  boolean awaitsReportOfDeath() {
    return !peerEnded && watcher.reportsDeath(this);
  }

  public int failedOperations() {
    return failedOperations;
  }

  public boolean hasPeerEnded() {
    return peerEnded;
  }

  /** Returns whether the kernel has reported the end of the peer's process. */
  public boolean hasProcessEnded() {
    return processEnded;
  }

  /** Returns whether the peer's node left in an orderly way and no operation of this side failed. */
  public boolean hasPeerLeft() {
    return peerLeft && failedOperations + sender.unfinished() + rmaPending() == 0;
  }

  void peerLost(String what, String why) {
    closing.peerGone(() -> stream.peerLost(what, why));
  }

  /** Pings a peer that may be dead. Closes the link if nothing arrives within 1 s. */
  public void suspect(String why) {
    if (stream.state() == LinkState.PEER_ENDED) {
      peerGone("the peer is dead", why, true);
    } else if (!isClosed()) {
      keepAlive.suspect(why);
    }
  }

  public void ping() {
    if (stream.canPost()) {
      keepAlive.pingOnce();
    }
  }

  /** Closes the link if the peer was silent for {@code deadTimeout} and stays so for 1 s, though it replied over the control connection. */
  public void suspectIfSilent() {
    if (!isClosed()) {
      keepAlive.suspectIfSilent();
    }
  }

  void silent() {
    watcher.silent(this);
  }

  void ended() {
    handler.ended();
  }

  void control(ControlFrame frame) {
    switch (frame.type) {
      case Frame.CREDIT -> {
      }
      case Frame.RKEY -> receiver.key(frame);
      case Frame.ATS -> acknowledged(frame);
      case Frame.END -> receiver.end();
      case Frame.END_ACK -> sender.endAcknowledged();
      case Frame.CLOSE -> closing.peerCloses();
      case Frame.CLOSE_ACK -> closing.closeAcknowledged();
      case Frame.PING -> {
        // After CLOSE and CLOSE_ACK the peer needs no answer and may have closed the endpoint. A failed post could then lose its CLOSE_ACK.
        if (stream.state() != LinkState.CLOSE_CROSSED || !stream.out.hasAcknowledgedClose()) {
          stream.out.control(Frame.PONG);
        }
      }
      case Frame.PONG -> {
        if (!keepAlive.pongReceived()) {
          stream.violation("the peer sent PONG without a PING");
        }
      }
      case Frame.WAKEABLE -> stream.waker.wakeable();
      default -> {
        if (service != null) {
          service.frame(frame.type, frame.flags, frame.a, frame.b, frame.payload, frame.length);
        } else {
          stream.violation("the peer sent " + Frame.name(frame.type) + ", but no remote memory is used over this connection");
        }
      }
    }
  }

  private void acknowledged(ControlFrame frame) {
    for (int at = 0; at + Frame.NAME <= frame.length && !stream.isClosed(); at += Frame.NAME) {
      sender.acknowledged(Frame.word(frame.payload, at));
    }
    // Takes the freed slots before other links. These may wait for an admission with all other slots, and would keep these too.
    sender.flush();
  }

  void turnEnd() {
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

  void measureRoundTrip() {
    if (isOpen()) {
      keepAlive.measureRoundTrip();
    }
  }

  int unread() {
    return sender.unread();
  }

  public ConnectionStatistics statistics() {
    return stream.statistics();
  }

  void disconnected(ProviderException why) {
    peerEnded |= why.reason() == ProviderException.Reason.PEER_ENDED;
    closing.disconnected(why);
  }

  /** Called before the endpoint closes. */
  void closed(Throwable cause) {
    failedOperations = sender.unfinished() + rmaPending();
    loop.liveness.forget(keepAlive);
    Throwable unacknowledged = closing.isAcknowledged() ? null : stream.closeCause();
    loop.runAll(() -> stream.out.completeUnacknowledged(unacknowledged), sender::fail, () -> {
      if (rma != null) {
        rma.fail();
      }
    }, receiver::fail, () -> closing.linkClosed(cause), this::endFlushes, () -> watcher.closed(this, cause), () -> {
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
      flushes.linkClosed(closing.isAcknowledged() ? null : stream.closeCause());
    }
  }

  void endpointClosed() {
    receiver.close();
    sender.close();
  }

  void quarantined() {
    if (rma != null) {
      rma.quarantined();
    }
  }

  void destroyed() {
    if (rma != null) {
      rma.destroyed();
    }
  }
}
