package io.github.vertxrdma.impl.framing;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.EndpointWaker;
import io.github.vertxrdma.impl.device.Grant;
import io.github.vertxrdma.impl.device.LoopEndpoint;
import io.github.vertxrdma.impl.device.PostedReceives;
import io.github.vertxrdma.impl.device.Reasons;
import io.github.vertxrdma.impl.device.ReceiveWindow;
import io.github.vertxrdma.impl.device.SendSlot;
import io.github.vertxrdma.impl.wire.Frame;
import io.github.vertxrdma.impl.wire.Greeting;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/**
 * Frames over one endpoint, both ways, from its first step to its end. Whatever a peer sends is checked here against the state that it
 * finds: its size, format, sequence, credit and type. What passes goes to the opening, and once both ends have agreed to the link. Confined
 * to the loop.
 */
public final class FrameStream extends LoopEndpoint implements EndpointHandler {
  public final DeviceLoop loop;
  public final Credits credits = new Credits();
  public final FrameWriter out;
  public final EndpointWaker waker;
  private FrameHandler handler;
  private Endpoint endpoint;
  private ReceiveWindow window;
  private StreamState state = StreamState.CONNECTING;
  private int expected;
  /** Frames came since {@link #heard()} was asked last. */
  private boolean heard;
  /** Something was posted after the last frame that came, and the peer has something to say to it. */
  private boolean unanswered;
  private boolean wasOpen;
  private Throwable cause;

  /** @param handler its opening */
  public FrameStream(DeviceLoop loop, FrameHandler handler) {
    this.loop = loop;
    this.handler = handler;
    this.out = new FrameWriter(this, loop, credits);
    this.waker = new EndpointWaker(this, loop);
  }

  /** Makes its endpoint and posts the receives of the handshake, or gives them back. @param slots set aside for them */
  public void open(int slots, Supplier<Endpoint> maker) {
    try {
      // It may have been closed while memory was registered.
      loop.checkOpen();
      endpoint = maker.get();
    } catch (RuntimeException e) {
      loop.budget.cancel(slots);
      throw e;
    }
    out.endpoint(endpoint);
    PostedReceives receives = loop.budget.of(endpoint);
    window = new ReceiveWindow(loop, this, receives);
    loop.endpoints.add(this);
    if (!window.open(slots)) {
      RdmaException full = new RdmaException(Reason.LIMIT, "the receive queue of " + loop.domain.device().name()
        + " does not take the receives of another connection; " + receives.posted() + " are posted");
      fail(full);
      throw full;
    }
  }

  // ---- facts

  @Override
  public Endpoint endpoint() {
    return endpoint;
  }

  public StreamState state() {
    return state;
  }

  @Override
  public boolean isOver() {
    return state == StreamState.OVER;
  }

  /** Returns whether frames can be posted: the endpoint is connected, as far as this side knows. */
  public boolean canPost() {
    return state.canSend();
  }

  public ReceiveWindow window() {
    return window;
  }

  /** Names the peer and the fabric, for messages. */
  public String name() {
    return handler.name();
  }

  /** Error of an operation that failed. @param status a {@link Status} */
  public RdmaException failure(int status, String what, String error) {
    ProviderException why = endpoint.failure();
    return new RdmaException(Reasons.of(status), name() + ": " + what + ": " + Status.name(status)
      + (error == null ? "" : " (" + error + ")") + (why == null ? "" : ": " + why.getMessage()), why);
  }

  /** Error of what needs registered memory of the loop, of which there is none. */
  public RdmaException memoryFailure(String what, Throwable why) {
    return new RdmaException(Reason.LIMIT, name() + ": " + what + " for want of registered memory: " + why.getMessage(), why);
  }

  /** Returns the exception for calls made after the stream or its peer ended. */
  public Throwable overCause() {
    if (cause != null) {
      return cause;
    }
    return state == StreamState.PEER_GONE ? new RdmaException(Reason.CONNECTION_LOST, "cannot write to " + name() + ": the peer has ended")
      : new RdmaException(Reason.CLOSED, name() + " is closed");
  }

  /** Tells whether frames came since it was asked last. */
  public boolean heard() {
    boolean before = heard;
    heard = false;
    return before;
  }

  /** Tells whether something was posted that the peer answers, and no frame came since. */
  public boolean isUnanswered() {
    return unanswered;
  }

  /** Notes that something is posted which the peer answers, be it with credits. */
  public void asks() {
    if (!unanswered) {
      unanswered = true;
      handler.asked();
    }
  }

  // ---- its life

  /** Moves on to another state. */
  public void state(StreamState next) {
    if (state != StreamState.OVER) {
      state = next;
    }
  }

  /** Hands it from its opening to its link: both ends agreed. @param peer what the peer takes */
  public void opened(FrameHandler link, Greeting peer) {
    handler = link;
    wasOpen = true;
    unanswered = false;
    state = StreamState.OPEN;
    out.peerBuffer(peer.bufferSize());
    credits.received(peer.dataCredits(), peer.controlCredits() - Greeting.HANDSHAKE_CREDITS);
    loop.endpoints.opened();
    loop.turn.dirty(this);
  }

  /** Hands it to another handler that stands for it before it is open. */
  public void handler(FrameHandler next) {
    handler = next;
  }

  @Override
  public void connected(Endpoint made, byte[] privateData) {
    if (state == StreamState.CONNECTING) {
      try {
        handler.connected(privateData);
      } catch (Throwable e) {
        // Past here it would end the queue, and with it all connections of the loop.
        loop.broken(this, e);
      }
    }
  }

  @Override
  public void disconnected(Endpoint made, ProviderException why) {
    if (state != StreamState.OVER) {
      try {
        handler.disconnected(why);
      } catch (Throwable e) {
        loop.broken(this, e);
      }
    }
  }

  // ---- frames that come

  @Override
  protected Cost received(MemorySegment m, long offset, int length) {
    if (state == StreamState.OVER) {
      return Cost.NOTHING;
    }
    long at = offset + loop.prefix;
    int room = Frame.room(length, loop.prefix);
    if (room < 0 || length > loop.options.bufferSize()) {
      return violation("sent a frame of " + length + " bytes");
    }
    long first = Frame.first(m, at);
    long second = Frame.second(m, at);
    int size = Frame.length(second);
    int type = Frame.type(first);
    if (Frame.format(first) != Frame.FORMAT) {
      return violation("sent a frame of format " + Frame.format(first));
    }
    if (Frame.sequence(second) != expected) {
      return violation("sent frame " + Integer.toUnsignedString(Frame.sequence(second)) + " where " + Integer.toUnsignedString(expected)
        + " was due");
    }
    expected++;
    boolean data = Frame.isData(type);
    if (!credits.arrived(data, type == Frame.DATA && (Frame.flags(first) & Frame.COALESCED) != 0)) {
      return violation("sent more " + (data ? "messages" : "control frames") + " than it had credits for");
    }
    if (size < 0 || size > room && type != Frame.RTS) {
      return violation("sent a frame that claims " + size + " bytes of payload and has " + room);
    }
    if (!Frame.isIn(state.frames, type)) {
      return violation("sent " + Frame.name(type) + " out of turn (" + state + ")");
    }
    if (!credits.received(Frame.dataCredits(first), Frame.controlCredits(first))) {
      return violation("gave more credits than there can be receives");
    }
    heard = true;
    unanswered = false;
    loop.turn.dirty(this);
    if (credits.isUsedUp(type)) {
      window.grow();
    }
    if (data) {
      handler.data(type, Frame.flags(first), Frame.a(m, at), Frame.b(m, at), m, at + Frame.SIZE, size);
      return state == StreamState.OVER ? Cost.NOTHING : type == Frame.RTS ? Cost.RENDEZVOUS : Cost.DATA;
    }
    loop.control.set(first, m, at, size);
    return type == Frame.CREDIT ? Cost.CREDIT : Cost.CONTROL;
  }

  @Override
  protected void granted(Grant more) {
    credits.granted(more);
    loop.turn.dirty(this);
  }

  @Override
  protected void reposted(Cost cost) {
    switch (cost) {
      case DATA -> credits.giveBackData();
      case RENDEZVOUS -> credits.rendezvousPosted();
      case CONTROL, CREDIT -> credits.giveBackControl(cost == Cost.CREDIT);
      default -> {
        return;
      }
    }
    loop.turn.dirty(this);
  }

  @Override
  protected void deliver(Cost cost) {
    if (state == StreamState.OVER) {
      return;
    }
    if (cost == Cost.CONTROL || cost == Cost.CREDIT) {
      handler.control(loop.control);
    } else {
      handler.deliver();
    }
  }

  // ---- turns

  /** Posts what waits, as far as it can. */
  public void flush() {
    if (canPost()) {
      out.flush();
      if (!out.isIdle()) {
        loop.turn.waiting(this);
        if (out.lacksCredits()) {
          handler.asked();
        }
      }
    }
  }

  @Override
  protected void turnEnd() {
    if (state == StreamState.OVER) {
      return;
    }
    handler.turnEnd();
    if (credits.turnEnd()) {
      out.flushCredits();
    }
  }

  /** Notes a post: the peer may have to be woken. */
  public void posted() {
    loop.turn.posted(waker.waker());
  }

  @Override
  protected void sent(SendSlot slot, int status, String error) {
    out.sent(slot, status, error);
  }

  @Override
  protected void measureRoundTrip() {
    handler.measureRoundTrip();
  }

  @Override
  protected boolean awaitsPeer() {
    return handler.awaitsPeer();
  }

  @Override
  protected void sleepsWaiting() {
    waker.sleepsWaiting();
  }

  @Override
  protected long pendingBytes() {
    return handler.pendingBytes();
  }

  @Override
  protected ConnectionStatistics statistics() {
    return handler.statistics();
  }

  // ---- the end

  /** Ends it: the peer breaks the protocol. @param what it did */
  public Cost violation(String what) {
    fail(new RdmaException(Reason.PROTOCOL, name() + ": the peer " + what + "; the connection was closed"));
    return Cost.NOTHING;
  }

  @Override
  public void failed(int status, String what, String error) {
    if (state == StreamState.OVER) {
      return;
    }
    if (status == Status.NOT_CONNECTED && wasOpen) {
      // The endpoint has ended. Its event comes after the messages that arrived before, which may be in the completion queue.
      handler.notConnected(endpoint.failure());
    } else if (status == Status.NOT_CONNECTED && endpoint.failure() != null) {
      disconnected(endpoint, endpoint.failure());
    } else {
      fail(failure(status, what, error));
    }
  }

  /** Ends it: bytes of a message could not be read from the peer. If the peer has ended the endpoint, this is known to follow from it. */
  public void readFailed(Throwable why) {
    ProviderException end = endpoint.failure();
    if (wasOpen && end != null && (end.reason() == ProviderException.Reason.DISCONNECTED
      || end.reason() == ProviderException.Reason.PEER_ENDED)) {
      if (state != StreamState.OVER) {
        handler.notConnected(end);
      }
    } else {
      fail(why);
    }
  }

  /** Ends it. @param why null after an orderly close */
  @Override
  public void fail(Throwable why) {
    if (state == StreamState.OVER) {
      return;
    }
    cause = wasOpen ? Reasons.ofWhatWasUnderWay(handler.explained(why)) : why;
    state = StreamState.OVER;
    if (endpoint == null) {
      handler.over(cause);
      return;
    }
    loop.endpoints.forget(this, cause != null && wasOpen);
    // Destroyed from a task of its own: the provider may be in the middle of a callback. Whoever hears of the end may close the loop, which
    // frees the queue off the loop once the tasks before have run.
    loop.host.execute(this::destroy);
    loop.all(out::fail, () -> handler.over(cause));
  }

  /** Ends it: there is nobody at the other end. @param what became of the peer */
  public void peerLost(String what, String why) {
    if (state != StreamState.OVER) {
      endpoint.peerDead(why);
      fail(new RdmaException(Reason.CONNECTION_LOST, name() + ": the peer " + what + ": " + why));
    }
  }

  private void destroy() {
    if (endpoint.state() == EndpointState.CONNECTED) {
      endpoint.disconnect();
    }
    endpoint.close();
    loop.turn.wake();
    waker.close();
    window.close();
    handler.closed();
    if (!releaseIfDone()) {
      // The fabric still owns some: each is freed by its completion, at the latest when the queue closes.
      loop.afterlife.quarantine(this);
      out.quarantined();
      handler.quarantined();
    }
  }

  @Override
  protected boolean releaseIfDone() {
    if (endpoint.outstanding() > 0) {
      return false;
    }
    out.destroyed();
    handler.destroyed();
    loop.turn.forget(this);
    return true;
  }

  @Override
  protected void queueClosed() {
    handler.destroyed();
  }
}
