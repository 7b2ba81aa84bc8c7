package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.Grant;
import io.github.vertxrdma.impl.device.Reasons;
import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Connector's side of a handshake. docs/protocol.adoc has the steps. */
public final class LinkConnector<T> extends LinkOpening<T> {
  private static final int MIN_REPEATED_MILLIS = 1_000;
  /** Minimum time of a connect that repeats a refused one. */
  private static final int MIN_LEFT_MILLIS = 500;
  /** Minimum size in bytes of private data for requests that carry greetings. */
  private static final int GREETED_REQUEST = 512;

  private final byte[] data;
  private final Handshake.Connecting handshake;
  private final Function<Link, T> opener;
  private Grant early;

  LinkConnector(DeviceLoop loop, FrameStream stream, LinkIdentity identity, LinkRole role, byte[] data, int timeoutMillis,
    Function<Link, T> opener) {
    super(loop, stream, identity, role, timeoutMillis);
    this.data = data;
    this.opener = opener;
    this.handshake = identity.handshake().connecting();
  }

  /**
   * Connects to a listener. Called on the event loop. Within the timeout, retries if the fabric gives up early (iWARP after 10 s of
   * silence), the acceptor refuses or disconnects because it gave this node's place to another request, it knows a connected node with this
   * node's id, or this node rejoined its cluster with a new epoch. Connects at most once a second for the same reason.
   *
   * @param data private data, at most 2,048 bytes
   * @param opener creates the owner of the link, which sets the link's handler; called on the event loop
   */
  public static <T> Future<T> connect(DeviceLoop loop, EndpointAddress remote, LinkIdentity identity, String service, byte[] data,
    int timeoutMillis, Function<Link, T> opener) {
    try {
      loop.checkOpen();
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
    long began = loop.host.nanoTime();
    long epoch = identity.self().get().epoch();
    LinkRole role = new LinkRole(true, service, null);
    return loop.prepareEndpoint(Connecting.LISTENER, timeoutMillis)
      .compose(slots -> new LinkConnector<>(loop, null, identity, role, data, timeoutMillis, opener).start(remote, slots))
      .recover(cause -> {
        int took = (int) TimeUnit.NANOSECONDS.toMillis(loop.host.nanoTime() - began);
        boolean refused = Reasons.of(cause) == Reason.TIMEOUT;
        boolean again = refused || identity.self().get().epoch() != epoch || took >= MIN_REPEATED_MILLIS && isTooLate(cause);
        int pause = refused ? Math.max(0, Math.min(MIN_REPEATED_MILLIS, timeoutMillis / 2) - took) : 0;
        int left = timeoutMillis - took - pause;
        if (!again || left < (refused ? MIN_LEFT_MILLIS : 1)) {
          return Future.failedFuture(cause);
        }
        Promise<T> repeated = Promise.promise();
        loop.host.schedule(() -> connect(loop, remote, identity, service, data, left, opener).onComplete(repeated), pause,
          TimeUnit.MILLISECONDS);
        // If the time ends, the refusal is the reason.
        return repeated.future().recover(last -> Future.failedFuture(refused && Reasons.of(last) == Reason.UNREACHABLE ? cause : last));
      });
  }

  private static boolean isTooLate(Throwable cause) {
    return cause.getCause() instanceof ProviderException fabric
      && (fabric.reason() == ProviderException.Reason.TIMEOUT || fabric.reason() == ProviderException.Reason.DISCONNECTED);
  }

  private Future<T> start(EndpointAddress remote, int slots) {
    try {
      stream.open(slots, () -> loop.domain.createEndpoint(loop.queue, loop.endpointOptions(timeoutMillis), stream));
      begin();
      connect(remote);
    } catch (RuntimeException e) {
      stream.fail(e);
      promise.tryFail(e);
    }
    return future();
  }

  /** Connects the endpoint. If the acceptor has handed out a nonce, the request includes the greeting. */
  private void connect(EndpointAddress remote) {
    Handshake.EarlyRequest greeted = loop.domain.limits().privateData() < GREETED_REQUEST ? null
      : handshake.early(() -> loop.domain.channelBinding(remote));
    if (greeted == null) {
      connect(remote, handshake.request());
      return;
    }
    // Posts the receives before the request, since the acceptor may send frames immediately.
    grant(first -> {
      stream.state(LinkState.CONNECTING);
      early = first;
      byte[] greeting = identity.greeting(loop, first, role.service(), data, greeted.proof()).encode();
      int length = greeted.request().length + greeting.length;
      connect(remote, length > loop.domain.limits().privateData() ? handshake.request()
        : ByteBuffer.allocate(length).put(greeted.request()).put(greeting).array());
    });
  }

  private void connect(EndpointAddress remote, byte[] request) {
    stream.endpoint().connect(remote, request);
    stream.waker.wakeUntilOpen();
    loop.turn.wake();
  }

  @Override
  void begin() {
    super.begin();
    identity.watcher().connecting(this);
  }

  @Override
  void handshakeEnded() {
    super.handshakeEnded();
    identity.watcher().connectEnded(this);
  }

  /** Thread-safe. */
  public boolean isTo(String nodeId, String device) {
    return identity.peer().equals(nodeId) && identity.device().equals(device);
  }

  /** Thread-safe. */
  public void giveUp(String why) {
    loop.host.execute(() -> {
      if (!stream.state().isOpen()) {
        stream.peerLost("the peer cannot be reached", why);
      }
    });
  }

  @Override
  void connected(byte[] accept) {
    if (role.isExchanged()) {
      stream.state(LinkState.PROOF_AWAITED);
      stream.out.control(Frame.REQUEST, 0, 0, 0, handshake.request());
      loop.turn.dirty(stream);
    } else {
      accepted(accept);
    }
  }

  private void accepted(byte[] accept) {
    byte[] proof;
    try {
      proof = handshake.confirm(accept, stream.endpoint().channelBinding());
    } catch (RuntimeException refused) {
      refuse(refused);
      return;
    }
    if (proof == null) {
      stream.credits.grantInGreeting(early.minus(Grant.HANDSHAKE));
      stream.state(LinkState.GREETING_AWAITED);
    } else if (early != null) {
      hello(early, proof);
    } else {
      grant(first -> hello(first, proof));
    }
  }

  private void hello(Grant grant, byte[] proof) {
    stream.state(LinkState.GREETING_AWAITED);
    greet(Frame.HELLO, identity.greeting(loop, grant, role.service(), data, proof), grant);
  }

  @Override
  void control(ControlFrame frame) {
    switch (frame.type) {
      case Frame.ACCEPT -> accepted(frame.bytes());
      case Frame.WELCOME -> {
        if (stream.state() != LinkState.GREETING_AWAITED && !frame.isRefusal()) {
          stream.violation("the peer sent WELCOME before this side proved the cluster secret");
          return;
        }
        Greeting greeting = greeting(frame);
        if (greeting != null) {
          handshakeEnded();
          open(greeting);
        }
      }
      default -> {
      }
    }
  }

  private void open(Greeting greeting) {
    T made;
    try {
      made = opener.apply(Link.open(stream, role, identity.watcher(), greeting));
    } catch (Throwable e) {
      promise.tryFail(e);
      throw e;
    }
    promise.tryComplete(made);
  }
}
