package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.statistics.LatencyHistogram;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Future;
import io.vertx.core.Completable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * The protocol over one endpoint: messages of any size in order with credits, remote memory operations, orderly end and close. The same
 * on every fabric; what differs is decided from the capabilities when it is made. Confined to its loop.
 */
public final class Link implements EndpointHandler {
  /** Control credits that each side has before the parameters are known. */
  static final int HANDSHAKE_CREDITS = 4;
  /** Bytes that every receive has at least. */
  static final int HANDSHAKE_BUFFER = 4096;

  /** Where a link stands. */
  private enum State { CONNECTING, GREETING, OPEN, OVER }

  final DeviceLoop loop;
  final Endpoint endpoint;
  final LinkSender sender;
  final LinkReceiver receiver;
  final Window window;
  final Transfers transfers;
  private final Receives receives;
  private final boolean ownReceives;
  final Grant grant;
  final Counters counters = new Counters();
  private final LinkBell bell;
  final Pulse pulse;
  private LinkSetup setup;
  private State state = State.CONNECTING;
  private LinkHandler handler;
  private Greeting peer;
  private Throwable cause;
  private Completable<Void> ending;
  private Completable<Void> closing;
  private Future<?> timer;
  private boolean endSent;
  private boolean endFrameSent;
  private boolean closeSent;
  private boolean closeFrameSent;
  private boolean peerClosing;
  private boolean closeAcknowledged;
  boolean isDirty;
  boolean isWaiting;

  Link(DeviceLoop loop, Endpoint endpoint, Receives receives, boolean ownReceives, Grant grant, LinkSetup setup) {
    this.loop = loop;
    this.endpoint = endpoint;
    this.receives = receives;
    this.ownReceives = ownReceives;
    this.grant = grant;
    this.setup = setup;
    this.sender = new LinkSender(this, loop, endpoint);
    this.receiver = new LinkReceiver(this, loop);
    this.window = new Window(this, loop, receives);
    this.transfers = new Transfers(this, loop, endpoint);
    this.bell = new LinkBell(this, loop);
    this.pulse = new Pulse(this, loop);
  }

  // ---- what stands on it

  /** Who hears of it; set when it opens. */
  public void handler(LinkHandler value) {
    handler = value;
  }

  LinkHandler handler() {
    return handler;
  }

  /** The peer's greeting: who it is and what it asked for. */
  public Greeting peer() {
    return peer;
  }

  /** Where the requests that go over it are counted; by one thread. Asked for on the loop. */
  public LatencyHistogram requestLatencies() {
    return counters.requests();
  }

  /** The device loop it runs on. */
  public DeviceLoop loop() {
    return loop;
  }

  public Endpoint endpoint() {
    return endpoint;
  }

  /** Its remote memory operations. */
  public Transfers transfers() {
    return transfers;
  }

  public boolean isOpen() {
    return state == State.OPEN && !closeSent;
  }

  /** Largest message the peer takes, in bytes. */
  public int maxMessageSize() {
    return Math.min(peer.maxMessageSize(), loop.options.maxMessageSize());
  }

  /**
   * Sends a message.
   *
   * @param message released here, also when it fails
   * @param done completed when the last of it was handed to the fabric; may be null
   */
  public void send(ByteBuf message, Completable<Void> done) {
    if (sendNow(message)) {
      if (done != null) {
        done.succeed();
      }
      return;
    }
    Throwable refusal = null;
    if (state == State.OVER) {
      refusal = overCause();
    } else if (state != State.OPEN || endSent || closeSent) {
      refusal = new RdmaException(Reason.CLOSED, "cannot write to " + name() + ": it was ended or closed by this side");
    } else if (message.readableBytes() > maxMessageSize()) {
      refusal = new RdmaException(Reason.TOO_LARGE, "message of " + message.readableBytes() + " bytes to " + name() + " refused: at most "
        + maxMessageSize() + " bytes, see maxMessageSize of both ends");
    }
    if (refusal != null) {
      message.release();
      if (done != null) {
        done.fail(refusal);
      }
      return;
    }
    sender.send(message, done);
  }

  /**
   * Sends a message if it can be handed to the fabric at once, as most small ones can.
   *
   * @return false if it has to go through {@link #send}, which takes it or says why not; else it is released
   */
  public boolean sendNow(ByteBuf message) {
    return state == State.OPEN && !endSent && !closeSent && message.readableBytes() <= maxMessageSize() && sender.sendNow(message);
  }

  /** Sends a frame of the region service. @param payload at most {@link #maxPayload} bytes, null for none */
  public void sendFrame(int type, int flags, long a, long b, byte[] payload) {
    if (state == State.OPEN) {
      sender.control(type, flags, a, b, payload);
    }
  }

  /** Asks for a {@link LinkHandler#turnEnd}. */
  public void wantsTurnEnd() {
    loop.dirty(this);
  }

  /** Bytes a region frame can carry. */
  public int maxPayload() {
    return HANDSHAKE_BUFFER - loop.prefix - Frame.SIZE;
  }

  /** Large messages go in parts, a receive each, which the peer need not read. */
  void sendInParts() {
    sender.inParts();
  }

  /** Bytes of messages written and not yet handed to the fabric. */
  public long pendingBytes() {
    return sender.pendingBytes();
  }

  /** Whether the handler releases the messages it gets, so that large ones may lie in registered memory. */
  public void lends(boolean on) {
    receiver.lends(on);
  }

  /** Stops or resumes granting the peer credits for messages. */
  public void receiving(boolean on) {
    receiver.receiving(on);
  }

  /** No more messages from this side. @param done completed when the peer has all of them */
  public void end(Completable<Void> done) {
    if (state == State.OVER) {
      done.fail(overCause());
      return;
    }
    if (endSent) {
      done.fail(new RdmaException(Reason.CLOSED, "cannot end " + name() + " twice"));
      return;
    }
    endSent = true;
    ending = done;
    tryEnd();
  }

  /**
   * Closes in order: everything written goes out, the peer acknowledges, then the endpoint ends.
   *
   * @param done fails if the peer did not acknowledge everything in time
   */
  public void close(long timeoutMillis, Completable<Void> done) {
    if (state == State.OVER) {
      done.succeed();
      return;
    }
    if (state == State.CONNECTING || state == State.GREETING) {
      over(new RdmaException(Reason.CLOSED, name() + " was closed by this side"));
      done.succeed();
      return;
    }
    if (closing != null) {
      Completable<Void> first = closing;
      closing = (v, e) -> {
        first.complete(v, e);
        done.complete(v, e);
      };
      return;
    }
    closing = done;
    closeSent = true;
    timer = loop.loop.schedule(this::closeTimedOut, timeoutMillis, TimeUnit.MILLISECONDS);
    tryClose();
  }

  /** Breaks it. */
  public void fail(Throwable why) {
    over(why);
  }

  /** Another channel learnt that the peer died. */
  public void peerDead(String why) {
    if (state != State.OVER) {
      endpoint.peerDead(why);
      over(new RdmaException(Reason.CONNECTION_LOST, name() + ": the peer is dead: " + why));
    }
  }

  // ---- set-up

  void connecting() {
    timer = loop.loop.schedule(() -> over(new RdmaException(Reason.UNREACHABLE,
      name() + " did not finish the handshake in " + setup.timeoutMillis() + " ms: " + missing())), setup.timeoutMillis(), TimeUnit.MILLISECONDS);
  }

  /** What a handshake lacks. */
  private String missing() {
    if (state == State.CONNECTING) {
      return "the fabric has not connected it; is the peer's event loop blocked, or does a firewall drop what the fabric sends?";
    }
    return peer == null ? "it is connected, but no greeting came from the peer; is its event loop blocked?"
      : "the peer's greeting came, and is not answered yet; is a handler of this side waiting?";
  }

  /** The endpoint has begun to connect. */
  void calling() {
    bell.call();
  }

  @Override
  public void connected(Endpoint e, byte[] privateData) {
    if (state != State.CONNECTING) {
      return;
    }
    state = State.GREETING;
    try {
      if (!setup.isExchanged()) {
        hello(setup.connected(privateData));
      } else if (setup.isConnector()) {
        sender.control(Frame.REQUEST, 0, 0, 0, setup.request());
        loop.dirty(this);
      } else {
        // The connector may have come first, and its device tries again rarely: a message wakes it.
        sender.control(Frame.CREDIT, 0, 0, 0, null);
        loop.dirty(this);
      }
    } catch (RuntimeException refused) {
      over(refused);
    }
  }

  private void hello(Greeting greeting) {
    if (greeting != null) {
      sender.control(Frame.HELLO, 0, 0, 0, greeting.encode());
      loop.dirty(this);
    }
  }

  /** Request and accept of an exchanged link, which came in frames. */
  private void handshake(int type, byte[] payload) {
    try {
      if (type == Frame.ACCEPT) {
        hello(setup.connected(payload));
      } else {
        sender.control(Frame.ACCEPT, 0, 0, 0, setup.accept(payload));
        loop.dirty(this);
      }
    } catch (RuntimeException refused) {
      refuse(refused);
    }
  }

  private void refuse(RuntimeException refused) {
    if (setup.isConnector() && !setup.isExchanged()) {
      over(refused);
    } else {
      refuse(refused.getMessage());
    }
  }

  @Override
  public void disconnected(Endpoint e, ProviderException why) {
    if (state == State.OVER) {
      return;
    }
    if ((closeSent && peerClosing) || (closeSent && sender.idle() && why.reason() == ProviderException.Reason.DISCONNECTED)) {
      over(null);
      return;
    }
    String words = why.privateData().length > 0 ? new String(why.privateData(), StandardCharsets.UTF_8).trim() : why.getMessage();
    over(new RdmaException(Reasons.ofEnd(why.reason()), name() + ": " + words, why));
  }

  private void greeted(int type, int flags, MemorySegment m, long at, int size) {
    byte[] payload = m.asSlice(at, size).toArray(ValueLayout.JAVA_BYTE);
    if ((flags & Frame.REFUSED) != 0) {
      over(new RdmaException(Reason.REJECTED, name() + " was refused: " + new String(payload, StandardCharsets.UTF_8)));
      return;
    }
    Greeting greeting;
    try {
      greeting = Greeting.decode(payload);
    } catch (IllegalArgumentException e) {
      violation("sent a bad greeting: " + e.getMessage());
      return;
    }
    peer = greeting;
    try {
      if (type == Frame.WELCOME) {
        open();
      } else {
        setup.greeted(this, greeting);
      }
    } catch (RuntimeException refused) {
      refuse(refused);
    }
  }

  /** The acceptor agrees. @param data private data for the connector */
  public void welcome(byte[] data) {
    if (state == State.GREETING) {
      sender.control(Frame.WELCOME, 0, 0, 0, setup.greeting(data, new byte[0]).encode());
      open();
    }
  }

  /** The acceptor does not agree; nor, where no end of the endpoint would tell the acceptor, the connector. */
  public void refuse(String reason) {
    if (state == State.GREETING) {
      byte[] words = reason == null ? new byte[0] : reason.getBytes(StandardCharsets.UTF_8);
      sender.control(setup.isConnector() ? Frame.HELLO : Frame.WELCOME, Frame.REFUSED, 0, 0, words.length > 1024 ? Arrays.copyOf(words, 1024) : words);
      closeSent = true;
      peerClosing = true;
      // The other side ends the endpoint once it has read this; should it not, this side does.
      loop.loop.schedule(() -> over(null), 2, TimeUnit.SECONDS);
    }
  }

  private void open() {
    cancelTimer();
    state = State.OPEN;
    loop.opened();
    sender.parameters(peer.bufferSize(), peer.dataCredits(), peer.controlCredits());
    bell.hang(peer.bell());
    if (bell.bell() != null) {
      // Where a peer is woken by its doorbell a remote read takes rounds of both processes.
      sendInParts();
    }
    peer = peer.settled();
    loop.watcher.opened(this);
    LinkSetup finished = setup;
    setup = FinishedSetup.of(finished);
    finished.opened(this);
    if (!loop.capabilities.peerFailureEvents() || finished.isExchanged()) {
      loop.watch(this);
    }
    loop.dirty(this);
  }

  // ---- frames

  void credits(int data, int control) {
    pulse.heard();
    if (data > 0 || control > 0) {
      sender.credits(data, control);
      loop.dirty(this);
    }
  }

  /** Whether a message may come now. */
  boolean mayReceive(int size) {
    if (state != State.OPEN) {
      violation("sent a message before the handshake was over");
      return false;
    }
    if (size > loop.options.maxMessageSize()) {
      violation("sent a message of " + size + " bytes, at most " + loop.options.maxMessageSize() + " are allowed");
      return false;
    }
    return true;
  }

  void control(int type, int flags, long a, long b, MemorySegment m, long at, int size) {
    switch (type) {
      case Frame.CREDIT -> {
      }
      case Frame.PONG -> {
        pulse.answered();
        receiver.answered(pulse.answers());
        tryAcknowledgeClose();
      }
      case Frame.BELL -> bell.ringable();
      case Frame.PING -> sender.control(Frame.PONG, 0, 0, 0, null);
      case Frame.HELLO, Frame.WELCOME -> {
        if (state == State.GREETING && peer == null && (type == Frame.WELCOME) == setup.isConnector()) {
          greeted(type, flags, m, at, size);
        } else {
          violation("sent " + Frame.name(type) + " out of turn");
        }
      }
      case Frame.REQUEST, Frame.ACCEPT -> {
        if (state == State.GREETING && peer == null && setup.isExchanged() && (type == Frame.ACCEPT) == setup.isConnector()) {
          handshake(type, m.asSlice(at, size).toArray(ValueLayout.JAVA_BYTE));
        } else {
          violation("sent " + Frame.name(type) + " out of turn");
        }
      }
      case Frame.END_ACK -> {
        Completable<Void> done = ending;
        ending = null;
        if (done != null) {
          done.succeed();
        }
      }
      case Frame.CLOSE -> {
        peerClosing = true;
        tryAcknowledgeClose();
      }
      case Frame.CLOSE_ACK -> over(null);
      default -> {
        if (type >= Frame.REGION_BASE && state == State.OPEN) {
          handler.regionFrame(type, flags, a, b, m, at, size);
        } else if (state != State.OVER) {
          violation("sent " + Frame.name(type) + " out of turn");
        }
      }
    }
  }

  /** All messages before the peer's END were delivered. */
  void peerEnded() {
    handler.ended();
    sender.control(Frame.END_ACK, 0, 0, 0, null);
  }

  private void tryEnd() {
    if (ending != null && endSent && sender.pendingBytes() == 0 && sender.messagesSent() && !endFrameSent) {
      endFrameSent = true;
      sender.control(Frame.END, 0, 0, 0, null);
    }
  }

  private void tryClose() {
    if (closing != null && !closeFrameSent && sender.messagesSent() && sender.unreadFragments() == 0 && transfers.pending() == 0) {
      closeFrameSent = true;
      sender.control(Frame.CLOSE, 0, 0, 0, null);
    }
  }

  private void tryAcknowledgeClose() {
    // Everything before the CLOSE frame was received in order; what is fragmented was read before the peer sent it, and is delivered with
    // the peer's next answer at the latest.
    if (peerClosing && !closeAcknowledged && !receiver.assembling() && state == State.OPEN) {
      closeAcknowledged = true;
      sender.control(Frame.CLOSE_ACK, 0, 0, 0, null);
      if (!closeSent) {
        closeSent = true;
        handler.ended();
        // The peer ends the endpoint once it has the acknowledgement; should it not, this side does.
        loop.loop.schedule(() -> over(null), 2, TimeUnit.SECONDS);
      }
      peerClosing = true;
    }
  }

  private void closeTimedOut() {
    over(new RdmaException(Reason.TIMEOUT, name() + ": the peer did not acknowledge the close in time; " + sender.pendingBytes()
      + " bytes were not sent, " + sender.unreadFragments() + " parts were not read"));
  }

  /** End of a turn. */
  void turnEnd() {
    if (state == State.OVER) {
      return;
    }
    if (state == State.OPEN && handler != null) {
      handler.turnEnd();
    }
    receiver.flushFins();
    sender.flush();
    transfers.flush();
    receiver.startReads();
    if (receiver.owesMuch()) {
      sender.flushCredits();
    }
    tryEnd();
    tryClose();
  }

  /** Something was posted: the peer may have to be woken. */
  void posted() {
    loop.posted(bell.bell());
  }

  LinkBell bell() {
    return bell;
  }

  void sentBytes() {
    if (handler != null) {
      handler.writable();
    }
  }

  boolean canPost() {
    return state != State.OVER && state != State.CONNECTING;
  }

  boolean canTransfer() {
    return state == State.OPEN;
  }

  boolean isOver() {
    return state == State.OVER;
  }

  /** There is reason to think that the peer is gone: asks it, and takes silence for an answer after a second. */
  public void doubt(String why) {
    if (state == State.OPEN) {
      pulse.doubt(why);
    }
  }

  // ---- the end

  void violation(String what) {
    over(new RdmaException(Reason.PROTOCOL, name() + ": the peer " + what + "; the connection was closed"));
  }

  void failed(int status, String what, String error) {
    over(failure(status, what, error));
  }

  RdmaException failure(int status, String what, String error) {
    ProviderException why = endpoint.failure();
    return new RdmaException(Reasons.of(status), name() + ": " + what + ": " + Status.name(status)
      + (error == null ? "" : " (" + error + ")") + (why == null ? "" : ": " + why.getMessage()), why);
  }

  Throwable overCause() {
    return cause != null ? cause : new RdmaException(Reason.CLOSED, name() + " is closed");
  }

  /** Why a connection was lost, with what this side had to do with it. */
  private Throwable explained(Throwable why) {
    int held = receiver.unconfirmed();
    long still = loop.stoodStillMillis();
    if (!(why instanceof RdmaException lost) || lost.reason() != Reason.CONNECTION_LOST || held == 0 && still == 0) {
      return why;
    }
    StringBuilder words = new StringBuilder(lost.getMessage());
    if (held > 0) {
      words.append("; messages read and not delivered, since the peer did not confirm that its memory still held them: ").append(held);
    }
    if (still > 0) {
      words.append("; this process or its event loop stood still for ").append(still).append(" ms, for which the peer may have taken it for"
        + " dead: raise deadMillis there above such pauses, or find what stops this process or blocks the loop");
    }
    return new RdmaException(lost.reason(), words.toString(), lost);
  }

  private void cancelTimer() {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }

  private void over(Throwable reason) {
    if (state == State.OVER) {
      return;
    }
    State before = state;
    Throwable why = before == State.OPEN ? explained(reason) : reason;
    state = State.OVER;
    cause = why;
    cancelTimer();
    Throwable failure = overCause();
    sender.fail(failure);
    transfers.fail(failure);
    receiver.fail();
    Completable<Void> end = ending;
    Completable<Void> close = closing;
    ending = null;
    closing = null;
    loop.forget(this, why != null && before != State.CONNECTING && before != State.GREETING);
    if (end != null) {
      end.fail(failure);
    }
    if (close != null) {
      if (why == null) {
        close.succeed();
      } else {
        close.fail(why);
      }
    }
    if (before == State.CONNECTING || before == State.GREETING) {
      setup.failed(failure);
    } else {
      loop.watcher.over(this, why);
      if (handler != null) {
        handler.closed(why);
      }
    }
    // Destroyed from a task of its own: the provider may be in the middle of a callback.
    loop.loop.execute(this::destroy);
  }

  private void destroy() {
    if (endpoint.state() == EndpointState.CONNECTED) {
      endpoint.disconnect();
    }
    endpoint.close();
    bell.unhang();
    receiver.destroyed();
    window.close();
    if (ownReceives) {
      receives.close();
    }
    loop.ungrant(grant);
    sender.endSources();
    if (endpoint.outstanding() == 0) {
      sender.destroyed();
      transfers.destroyed();
      loop.destroyed(this);
    } else {
      // The fabric still owns some: each is freed by its completion, at the latest when the queue closes.
      loop.quarantine(this);
    }
  }

  /** Still owned by the fabric after the end. */
  boolean releaseIfDone() {
    if (endpoint.outstanding() > 0) {
      return false;
    }
    sender.destroyed();
    transfers.destroyed();
    return true;
  }

  LinkSetup setup() {
    return setup;
  }

  /** Who with and over what, for messages. */
  public String name() {
    String who = peer != null && !peer.nodeId().isEmpty() ? peer.nodeId() + " at " : "";
    return setup.describe() + who + endpoint.remoteAddress() + " over " + loop.domain.device().name();
  }
}
