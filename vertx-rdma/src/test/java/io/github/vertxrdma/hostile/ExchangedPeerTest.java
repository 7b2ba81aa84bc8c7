package io.github.vertxrdma.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.OutOfBandEnd;
import io.vertx.core.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ExchangedPeerTest {

  @Test
  void connectFailsWhenAcceptorSendsWelcomeWithoutProof() {
    try (Victim victim = new Victim()) {
      RawPeer acceptor = new RawPeer(victim.domain, true);
      victim.raw.add(acceptor);
      Future<Link> connecting = connect(victim, acceptor);
      acceptor.send(Frame.WELCOME, 0, 0, 0, Victim.hello("").encode());
      victim.settle();
      assertTrue(connecting.failed(), "a link opened to a peer that proved nothing");
      assertEquals(Reason.PROTOCOL, ((RdmaException) connecting.cause()).reason());
      assertTrue(connecting.cause().getMessage().contains("sent WELCOME before this side proved"), connecting.cause().getMessage());
      victim.assertHonest();
    }
  }

  @Test
  void connectSucceedsWhenAcceptorSendsProofBeforeWelcome() {
    try (Victim victim = new Victim()) {
      RawPeer acceptor = new RawPeer(victim.domain, true);
      victim.raw.add(acceptor);
      Future<Link> connecting = connect(victim, acceptor);
      acceptor.send(Frame.ACCEPT, 0, 0, 0, Victim.WORD);
      victim.settle();
      acceptor.send(Frame.WELCOME, 0, 0, 0, Victim.hello("").encode());
      victim.now(connecting);
      victim.assertHonest();
    }
  }

  private static Future<Link> connect(Victim victim, RawPeer acceptor) {
    OutOfBandEnd end = victim.now(OutOfBandEnd.open(victim.loop, 10_000));
    acceptor.connect(end.localAddress(), Victim.NONE);
    Future<Link> connecting = end.connect(acceptor.address(), victim.identity("victim"), "raw", "accept", Victim.NONE,
      link -> new Victim.End(link).link);
    victim.settle();
    assertTrue(acceptor.take().stream().anyMatch(frame -> frame.type() == Frame.REQUEST), "no REQUEST came");
    return connecting;
  }
}
