package io.github.vertxrdma.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.link.Frame;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SuspectedPeerTest {
  private static final long HALF_A_SECOND = TimeUnit.MILLISECONDS.toNanos(500);

  private final Victim victim = new Victim();

  @AfterEach
  void theOthersGoOn() {
    victim.assertHonest();
    victim.close();
  }

  private void suspect(Victim.End end) {
    for (int i = 0; i < 3; i++) {
      end.link.suspect("nobody listens there");
      victim.pass(HALF_A_SECOND);
    }
  }

  private static void assertGivenUp(Victim.End end, String why) {
    assertTrue(end.over, "it was not given up");
    assertTrue(end.cause.getMessage().contains(why), end.cause.getMessage());
  }

  @Test
  void silentPeerIsGivenUp() {
    victim.proven("accept");
    Victim.End end = victim.end();
    suspect(end);
    assertGivenUp(end, "the peer is dead: nobody listens there");
  }

  @Test
  void peerThatEndedIsGivenUpOnceItsMessagesAreRead() {
    RawPeer peer = victim.proven("accept");
    Victim.End end = victim.end();
    for (int i = 0; i < 3; i++) {
      peer.send(Frame.DATA, 0, 0, 0, new byte[] {(byte) i});
    }
    end.link.peerEnded("its port is down");
    end.link.peerEnded("its port is down");
    assertFalse(end.over);
    victim.settle();
    assertEquals(3, end.messages.size());
    assertGivenUp(end, "the peer has ended the connection: its port is down");
  }

  @Test
  void peerThatStillTalksIsKept() {
    RawPeer peer = victim.proven("accept");
    Victim.End end = victim.end();
    end.link.peerEnded("its port is down");
    for (int i = 0; i < 5; i++) {
      peer.sendCredits(Frame.CREDIT, 0, 0);
      victim.pass(TimeUnit.MILLISECONDS.toNanos(10));
    }
    assertNull(end.cause);
    victim.settle();
    assertGivenUp(end, "its port is down");
  }

  @Test
  void peerThatAnswersIsKept() {
    RawPeer peer = victim.proven("accept");
    peer.answersPings();
    suspect(victim.end());
    victim.pass(2 * HALF_A_SECOND);
    assertNull(victim.end().cause);
    assertNull(peer.over());
  }
}
