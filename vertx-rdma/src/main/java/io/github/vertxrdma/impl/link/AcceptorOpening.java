package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.Grant;
import io.github.vertxrdma.impl.device.Reasons;

/** Acceptor's side of a handshake. docs/protocol.adoc has the steps. */
final class AcceptorOpening extends LinkOpening<Link> implements IncomingLink {
  private final LinkListener.Acceptor acceptor;
  private Handshake.Accepting handshake;
  private Greeting greeting;
  private Grant grant;

  /**
   * @param handshake null if the request arrives in a REQUEST frame
   * @param role without a service, since the connector names the service
   */
  AcceptorOpening(DeviceLoop loop, FrameStream stream, LinkIdentity identity, LinkRole role, Handshake.Accepting handshake,
    int timeoutMillis, LinkListener.Acceptor acceptor) {
    super(loop, stream, identity, role, timeoutMillis);
    this.handshake = handshake;
    this.acceptor = acceptor;
  }

  @Override
  void connected(byte[] none) {
    if (role.isExchanged()) {
      stream.state(LinkState.PROOF_AWAITED);
      // Informs the connector, whose endpoint may have been ready first, that this endpoint is ready.
      stream.out.control(Frame.CREDIT);
      loop.turn.dirty(stream);
    } else if (handshake.greeting() != null) {
      proven(greeting(handshake.greeting()));
    } else {
      stream.state(LinkState.GREETING_AWAITED);
    }
  }

  @Override
  void control(ControlFrame frame) {
    switch (frame.type) {
      case Frame.REQUEST -> requested(frame.bytes());
      case Frame.HELLO -> {
        if (!hasRefused()) {
          greeted(greeting(frame));
        }
      }
      default -> {
      }
    }
  }

  private void requested(byte[] request) {
    try {
      handshake = identity.handshake().accepting(request, stream.endpoint().channelBinding());
    } catch (RuntimeException refused) {
      refuse(refused);
      return;
    }
    stream.state(LinkState.GREETING_AWAITED);
    stream.out.control(Frame.ACCEPT, 0, 0, 0, handshake.accept());
    loop.turn.dirty(stream);
  }

  private void greeted(Greeting hello) {
    if (hello == null) {
      return;
    }
    try {
      handshake.verify(hello.proof(), hello.nodeId(), hello.epoch());
    } catch (RuntimeException refused) {
      if (Reasons.of(refused) == Reason.TIMEOUT) {
        giveWay(refused);
      } else {
        refuse(refused);
      }
      return;
    }
    proven(hello);
  }

  private void proven(Greeting hello) {
    greeting = hello;
    grant(granted -> {
      grant = granted;
      acceptor.greeted(this);
    });
  }

  /** Fails the handshake so that the peer connects again, unless the peer has proved the cluster secret. */
  void giveWay(RuntimeException why) {
    if (stream.state() == LinkState.GREETING_AWAITED) {
      promise.tryFail(why);
      sendRefusal(Reason.TIMEOUT, why.getMessage());
      loop.turn.dirty(stream);
    } else if (stream.state() == LinkState.CONNECTING) {
      stream.fail(why);
    }
  }

  @Override
  public Greeting greeting() {
    return greeting;
  }

  @Override
  public DeviceLoop loop() {
    return loop;
  }

  @Override
  public Link accept(byte[] data) {
    if (!isDeciding() || grant == null) {
      return null;
    }
    greet(Frame.WELCOME, identity.greeting(loop, grant, "", data, new byte[0]), grant);
    if (stream.isClosed()) {
      return null;
    }
    handshakeEnded();
    Link link = Link.open(stream, new LinkRole(false, greeting.service(), role.exchangedPeer()), identity.watcher(), greeting);
    // Runs after the acceptor has created the link's owner.
    loop.host.execute(() -> promise.tryComplete(link));
    return link;
  }

  @Override
  public void refuse(Reason reason, String words) {
    if (isDeciding()) {
      sendRefusal(finalReason(reason), words);
    }
  }

  @Override
  public String name() {
    return stream.name();
  }

  @Override
  String service() {
    return greeting == null ? "" : greeting.service();
  }
}
