package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.Grant;
import io.github.vertxrdma.impl.device.LoopEndpoint;
import io.github.vertxrdma.impl.device.PostedReceives;
import io.github.vertxrdma.impl.device.Reasons;
import io.github.vertxrdma.impl.device.ReceiveWindow;
import io.github.vertxrdma.impl.device.SendSlot;
import io.github.vertxrdma.impl.process.NodeName;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/**
 * Stream of frames over one endpoint. Checks size, format, sequence, credit and type of each inbound frame. Belongs to a LinkOpening
 * during the handshake, then to a Link.
 */
public final class FrameStream extends LoopEndpoint implements EndpointHandler {
  private static final Object NO_NETWORK = "no network";

  public final Credits credits = new Credits();
  public final FrameWriter out;
  private final ControlFrame control;
  /** Null before the handshake of an endpoint whose address is exchanged, and after any handshake. */
  private LinkOpening<?> opening;
  private LinkRole role;
  private Link link;
  private Endpoint endpoint;
  private ReceiveWindow window;
  private LinkState state = LinkState.CONNECTING;
  private long roleFrames;
  private int expected;
  private boolean frameArrived;
  private boolean replyDue;
  private boolean watchesReplies;
  private Throwable cause;

  FrameStream(DeviceLoop loop) {
    super(loop);
    this.out = new FrameWriter(this, loop, credits);
    this.control = new ControlFrame(loop.controlPayload);
  }

  public void open(int slots, Supplier<Endpoint> maker) {
    try {
      // The loop may have closed while memory was registered.
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
      RdmaException full = new RdmaException(Reason.LIMIT, "cannot open a connection over " + loop.domain.device().name()
        + ": its receive queue is full with " + receives.posted() + " posted receives. Close some connections");
      fail(full);
      throw full;
    }
  }

  @Override
  public Endpoint endpoint() {
    return endpoint;
  }

  /** Returns the peer's network; the same object for all peers of this host, and for those whose address the fabric does not know. */
  Object source() {
    EndpointAddress remote = loop.domain.device().reach() == Device.Reach.NETWORK ? endpoint.remoteAddress() : null;
    return remote == null ? NO_NETWORK : remote.source();
  }

  public LinkState state() {
    return state;
  }

  @Override
  public boolean isClosed() {
    return state == LinkState.CLOSED;
  }

  public boolean canPost() {
    return state != LinkState.CONNECTING && state != LinkState.PEER_ENDED && state != LinkState.CLOSED;
  }

  public ReceiveWindow window() {
    return window;
  }

  public String name() {
    String device = " over " + loop.domain.device().name();
    if (role == null) {
      return "unconnected endpoint" + device;
    }
    String who = link == null ? "" : NodeName.words(link.peerName(), link.peer().nodeId());
    return role.describe() + who + (who.isEmpty() ? "" : " at ") + (endpoint == null ? "a peer" : endpoint.remoteAddress()) + device;
  }

  boolean isConnector() {
    return role != null && role.isConnector();
  }

  public RdmaException failure(int status, String what, String error) {
    ProviderException why = endpoint.failure();
    return new RdmaException(Reasons.of(status), name() + ": " + (why != null ? Reasons.words(why, loop.domain.device())
      : what + ": " + Status.name(status) + (error == null ? "" : " (" + error + ")")), why);
  }

  public RdmaException memoryFailure(String what, Throwable why) {
    return new RdmaException(Reason.LIMIT, name() + ": " + what + ", since memory cannot be registered: " + why.getMessage(), why);
  }

  public Throwable closeCause() {
    if (cause != null) {
      return cause;
    }
    return state == LinkState.PEER_ENDED ? new RdmaException(Reason.CONNECTION_LOST, "cannot write to the " + name() + ": the peer "
      + "has ended")
      : new RdmaException(Reason.CLOSED, name() + " is closed");
  }

  /** Returns the failure that closed the stream; null for none. */
  Throwable cause() {
    return cause;
  }

  public boolean takeFrameArrived() {
    boolean before = frameArrived;
    frameArrived = false;
    return before;
  }

  /** Returns whether this side expects a reply, and no frame has arrived since. */
  public boolean isReplyDue() {
    return replyDue;
  }

  public void expectReply() {
    if (!replyDue) {
      replyDue = true;
      if (watchesReplies) {
        link.keepAlive.waitStarted();
      }
    }
  }

  /** Reports each beginning of a wait for a reply to the link's {@link KeepAlive}. */
  void watchReplies() {
    watchesReplies = true;
    if (replyDue) {
      link.keepAlive.waitStarted();
    }
  }

  public void state(LinkState next) {
    if (state != LinkState.CLOSED) {
      assert next == state || state.next().contains(next) : name() + " cannot pass from " + state + " to " + next;
      state = next;
    }
  }

  public long frames() {
    return state.frames & roleFrames;
  }

  void opened(Link made, LinkRole openRole, Greeting peer) {
    link = made;
    role = loop.intern(openRole);
    opening = null;
    replyDue = false;
    state(LinkState.OPEN);
    out.peerBuffer(peer.bufferSize());
    credits.received(peer.dataCredits(), peer.controlCredits() - Grant.HANDSHAKE_CREDITS);
    loop.endpoints.opened();
    loop.turn.dirty(this);
  }

  void opening(LinkOpening<?> next, LinkRole nextRole) {
    opening = next;
    role = nextRole;
    roleFrames = nextRole == null ? 0 : LinkState.framesOf(nextRole.isConnector());
  }

  @Override
  public void connected(Endpoint made, byte[] privateData) {
    if (state == LinkState.CONNECTING && opening != null) {
      try {
        opening.connected(privateData);
      } catch (Throwable e) {
        // If thrown to the completion queue, the exception would fail all connections of the loop.
        loop.broken(this, e);
      }
    }
  }

  @Override
  public void disconnected(Endpoint made, ProviderException why) {
    if (state != LinkState.CLOSED) {
      try {
        if (link != null) {
          link.disconnected(why);
        } else {
          // The fabric gives no reason for a disconnect after the endpoint has connected.
          String when = state == LinkState.CONNECTING ? "" : " before the handshake completed; its log may state the reason";
          fail(opening != null && opening.hasRefused() ? null
            : new RdmaException(Reasons.ofEnd(why.reason()), name() + ": " + Reasons.words(why, loop.domain.device()) + when, why));
        }
      } catch (Throwable e) {
        loop.broken(this, e);
      }
    }
  }

  @Override
  protected Cost received(MemorySegment m, long offset, int length) {
    if (state == LinkState.CLOSED) {
      return Cost.NOTHING;
    }
    long at = offset + loop.prefix;
    int room = Frame.room(length, loop.prefix);
    if (room < 0 || length > loop.options.bufferSize()) {
      return violation("the peer sent a frame of invalid length, " + length + " bytes");
    }
    long first = Frame.first(m, at);
    long second = Frame.second(m, at);
    int size = Frame.length(second);
    int type = Frame.type(first);
    if (Frame.format(first) != Frame.FORMAT) {
      return violation("the peer sent a frame of unknown format " + Frame.format(first));
    }
    if (Frame.sequence(second) != expected) {
      return violation("the peer sent a frame with sequence number " + Integer.toUnsignedString(Frame.sequence(second)) + ", and "
        + Integer.toUnsignedString(expected) + " was expected");
    }
    expected++;
    boolean data = Frame.isData(type);
    if (!credits.arrived(data)) {
      return violation("the peer sent more " + (data ? "messages" : "control frames") + " than it had credits for");
    }
    if (size < 0 || size > room && type != Frame.RTS) {
      return violation("the peer sent a frame that should have " + size + " bytes of payload, but has only " + room);
    }
    if (!Frame.isIn(frames(), type)) {
      return violation("the peer sent frame " + Frame.name(type) + ", which is not allowed in state " + state);
    }
    if (!credits.received(Frame.dataCredits(first), Frame.controlCredits(first))) {
      return violation("the peer granted more credits than it can have receive buffers");
    }
    frameArrived = true;
    replyDue = false;
    loop.turn.dirty(this);
    if (credits.isUsedUp(type)) {
      window.grow();
    }
    if (data) {
      link.receiver.data(type, Frame.flags(first), Frame.a(m, at), Frame.b(m, at), m, at + Frame.SIZE, size);
      return state == LinkState.CLOSED ? Cost.NOTHING : type == Frame.RTS ? Cost.RENDEZVOUS : Cost.DATA;
    }
    control.set(first, m, at, size);
    return type == Frame.CREDIT ? Cost.CREDIT : Cost.CONTROL;
  }

  @Override
  protected void granted(Grant more) {
    credits.grantMore(more);
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
    if (state == LinkState.CLOSED) {
      return;
    }
    if (cost == Cost.CONTROL || cost == Cost.CREDIT) {
      if (link != null) {
        link.control(control);
      } else {
        opening.control(control);
      }
    } else {
      link.receiver.deliver();
    }
  }

  public void flush() {
    if (canPost()) {
      out.flush();
      if (!out.isIdle()) {
        loop.turn.waiting(this);
        if (link != null && out.lacksCredits()) {
          link.keepAlive.waitStarted();
        }
      }
    }
  }

  @Override
  protected void turnEnd() {
    if (state == LinkState.CLOSED) {
      return;
    }
    if (link != null) {
      link.turnEnd();
    } else {
      flush();
    }
    if (credits.isCreditFrameDue()) {
      out.flushCredits();
    }
  }

  public void posted() {
    loop.turn.posted(waker.waker());
  }

  @Override
  protected void sent(SendSlot slot, int status, String error) {
    out.sent(slot, status, error);
  }

  @Override
  protected void measureRoundTrip() {
    if (link != null) {
      link.measureRoundTrip();
    }
  }

  @Override
  protected boolean awaitsPeer() {
    return link != null && link.rmaPending() > 0;
  }

  @Override
  protected long pendingBytes() {
    return link != null ? link.pendingBytes() : 0;
  }

  @Override
  protected ConnectionStatistics statistics() {
    String remote = role == null || endpoint == null ? "" : String.valueOf(endpoint.remoteAddress());
    String service = link != null ? role.service() : opening != null ? opening.service() : "";
    return new ConnectionStatistics(link == null ? "" : link.peer().nodeId(), remote, Greeting.shown(service),
      isConnector(), state == LinkState.OPEN, counters.traffic(), credits.data(), credits.control(), pendingBytes(),
      out.inFlight(), link == null ? 0 : link.rmaPending(), link == null ? 0 : link.unread(),
      link == null ? -1 : link.keepAlive.roundTripNanos());
  }

  public Cost violation(String what) {
    fail(new RdmaException(Reason.PROTOCOL, name() + ": " + what + "; the connection was closed. If both nodes have the same version "
      + "of vertx-rdma, report this"));
    return Cost.NOTHING;
  }

  @Override
  public void failed(int status, String what, String error) {
    if (state == LinkState.CLOSED) {
      return;
    }
    if (status == Status.NOT_CONNECTED && link != null) {
      // Received messages may still be in the completion queue, and the disconnect event is delivered after them.
      link.notConnected(endpoint.failure());
    } else if (status == Status.NOT_CONNECTED && endpoint.failure() != null) {
      disconnected(endpoint, endpoint.failure());
    } else {
      fail(failure(status, what, error));
    }
  }

  /** Fails the stream after a failed remote read. If the endpoint has ended, arrived frames are read first. */
  public void readFailed(Throwable why) {
    ProviderException end = endpoint.failure();
    if (link != null && end != null && Reasons.isByPeer(end)) {
      if (state != LinkState.CLOSED) {
        link.notConnected(end);
      }
    } else {
      fail(why);
    }
  }

  /** @param why null after an orderly close */
  @Override
  public void fail(Throwable why) {
    if (state == LinkState.CLOSED) {
      return;
    }
    cause = link != null ? Reasons.ofInFlight(link.closing.explained(why)) : why;
    state = LinkState.CLOSED;
    if (endpoint == null) {
      closed();
      return;
    }
    loop.endpoints.forget(this, link != null && !link.isClosedInOrder() && !link.hasPeerLeft());
    // Destroys the endpoint in a later task, since the provider may be in a callback. Submits the task first, since a close handler may
    // close the loop.
    loop.host.execute(this::destroy);
    loop.runAll(out::fail, this::closed);
  }

  private void closed() {
    if (link != null) {
      link.closed(cause);
    } else if (opening != null) {
      opening.closed(cause);
    }
  }

  public void peerLost(String what, String why) {
    if (state != LinkState.CLOSED) {
      endpoint.peerDead(why);
      fail(new RdmaException(Reason.CONNECTION_LOST, name() + ": " + what + ": " + why));
    }
  }

  private void destroy() {
    if (endpoint.state() == EndpointState.CONNECTED) {
      endpoint.disconnect();
    }
    endpoint.close();
    loop.turn.wake();
    waker.close();
    if (window.isShared()) {
      window.close();
    }
    if (link != null) {
      link.endpointClosed();
    }
    if (!releaseIfDone()) {
      // The fabric may still use the memory, which is freed after its operations or when the completion queue closes.
      loop.endpoints.quarantine(this);
      out.quarantined();
      if (link != null) {
        link.quarantined();
      }
    }
  }

  @Override
  protected boolean releaseIfDone() {
    if (endpoint.outstanding() > 0) {
      return false;
    }
    if (!window.isShared()) {
      window.close();
    }
    out.destroyed();
    queueClosed();
    loop.turn.forget(this);
    return true;
  }

  @Override
  protected void queueClosed() {
    if (link != null) {
      link.destroyed();
    }
  }
}
