package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.Grant;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.nio.ByteBuffer;
import java.util.function.Function;

/** Connector's side of a handshake. docs/protocol.adoc has the steps. */
final class ConnectorOpening<T> extends LinkOpening implements LinkAttempt {
  private final byte[] data;
  private final Handshake.Connecting handshake;
  private final Function<Link, T> opener;
  private final Promise<T> promise = Promise.promise();
  private Grant early;

  ConnectorOpening(DeviceLoop loop, FrameStream stream, LinkIdentity identity, LinkRole role, byte[] data, int timeoutMillis,
    Function<Link, T> opener) {
    super(loop, stream, identity, role, timeoutMillis);
    this.data = data;
    this.opener = opener;
    this.handshake = identity.handshake().connecting();
  }

  /** Connects the endpoint. If the acceptor has announced a nonce, the request includes the greeting. */
  void connect(EndpointAddress remote) {
    Handshake.EarlyRequest greeted = carriesGreetings() ? handshake.early() : null;
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
    stream.waker.call();
    loop.turn.wake();
  }

  Future<T> future() {
    return promise.future();
  }

  @Override
  void begin() {
    super.begin();
    identity.watcher().connecting(this);
  }

  @Override
  void settled() {
    super.settled();
    identity.watcher().settled(this);
  }

  @Override
  public boolean isTo(String nodeId, String device) {
    return identity.peer().equals(nodeId) && identity.device().equals(device);
  }

  @Override
  public void giveUp(String why) {
    loop.host.execute(() -> {
      if (!stream.state().isOpen()) {
        stream.peerLost("the peer cannot be reached", why);
      }
    });
  }

  @Override
  public void connected(byte[] accept) {
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
      stream.credits.announced(early.minus(Grant.HANDSHAKE));
      stream.state(LinkState.GREETING_AWAITED);
    } else if (early != null) {
      hello(early, proof);
    } else {
      grant(first -> hello(first, proof));
    }
  }

  private void hello(Grant grant, byte[] proof) {
    stream.state(LinkState.GREETING_AWAITED);
    greet(Frame.HELLO, Handshake.Nonce.NONE, identity.greeting(loop, grant, role.service(), data, proof), grant);
  }

  @Override
  public void control(ControlFrame frame) {
    switch (frame.type) {
      case Frame.ACCEPT -> accepted(frame.bytes());
      case Frame.WELCOME -> {
        if (stream.state() == LinkState.PROOF_AWAITED && !frame.isRefusal()) {
          stream.violation("the peer sent WELCOME before ACCEPT, which contains the proof of the cluster secret");
          return;
        }
        Greeting greeting = greeting(frame);
        if (greeting != null) {
          handshake.announced(frame.a, frame.b);
          settled();
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
      failed(e);
      throw e;
    }
    promise.tryComplete(made);
  }

  @Override
  void refuse(Throwable why) {
    if (role.isExchanged()) {
      failed(why);
      refuse(Frame.HELLO, why);
    } else {
      stream.fail(why);
    }
  }

  @Override
  void failed(Throwable cause) {
    promise.tryFail(cause);
  }
}
