package io.github.vertxrdma.impl.opening;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.framing.FrameStream;
import io.github.vertxrdma.impl.framing.StreamState;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkAttempt;
import io.github.vertxrdma.impl.link.LinkRole;
import io.github.vertxrdma.impl.wire.ControlFrame;
import io.github.vertxrdma.impl.wire.Frame;
import io.github.vertxrdma.impl.wire.Greeting;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.function.Function;

/**
 * The connecting end of a link: its request goes with the fabric's, or in a frame; once the acceptor has proved itself it sends its own
 * proof with its greeting; the acceptor's greeting opens the link. Confined to the loop.
 */
final class ConnectorOpening<T> extends LinkOpening implements LinkAttempt {
  private final byte[] data;
  private final Handshake.Connecting handshake;
  private final Function<Link, T> opener;
  private final Promise<T> promise = Promise.promise();

  /**
   * @param stream null for a new one
   * @param data private data for the acceptor
   * @param opener makes what stands on the open link and sets its handler
   */
  ConnectorOpening(DeviceLoop loop, FrameStream stream, LinkIdentity identity, LinkRole role, byte[] data, int timeoutMillis,
    Function<Link, T> opener) {
    super(loop, stream, identity, role, timeoutMillis);
    this.data = data;
    this.opener = opener;
    this.handshake = identity.handshake().connecting();
  }

  /** Private data of the request. */
  byte[] request() {
    return handshake.request();
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
        stream.peerLost("cannot be reached", why);
      }
    });
  }

  @Override
  public void connected(byte[] accept) {
    if (role.isExchanged()) {
      stream.state(StreamState.ACCEPT_AWAITED);
      stream.out.control(Frame.REQUEST, 0, 0, 0, handshake.request());
      loop.turn.dirty(stream);
    } else {
      accepted(accept);
    }
  }

  private void accepted(byte[] accept) {
    byte[] proof;
    try {
      proof = handshake.confirm(accept);
    } catch (RuntimeException refused) {
      refuse(refused);
      return;
    }
    grant(grant -> {
      stream.state(StreamState.WELCOME_AWAITED);
      greet(Frame.HELLO, identity.greeting(loop, grant, role.service(), data, proof), grant);
    });
  }

  @Override
  public void control(ControlFrame frame) {
    switch (frame.type()) {
      case Frame.ACCEPT -> accepted(frame.bytes());
      case Frame.WELCOME -> {
        Greeting greeting = greeting(frame);
        if (greeting != null) {
          settled();
          open(greeting);
        }
      }
      default -> {
        // CREDIT: the header has all there is to it.
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
