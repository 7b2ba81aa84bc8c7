package io.github.vertxrdma.hostile;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer that is suspected has one second to answer, however often it is suspected meanwhile. */
@Timeout(60)
class SuspectedPeerTest {
  private static final long HALF_A_SECOND = TimeUnit.MILLISECONDS.toNanos(500);

  private final Victim victim = new Victim();

  @AfterEach
  void theOthersGoOn() {
    victim.assertHonest();
    victim.close();
  }

  /** Twice a second, as a node does that cannot reach the peer's control address. */
  private void suspect(Victim.End end) {
    for (int i = 0; i < 3; i++) {
      end.link.suspect("nobody listens there");
      victim.pass(HALF_A_SECOND);
    }
  }

  @Test
  void theSilentIsGivenUp() {
    victim.proven("accept");
    Victim.End end = victim.end();
    suspect(end);
    assertTrue(end.over, "it was not given up");
    assertTrue(end.cause.getMessage().contains("the peer is dead: nobody listens there"), end.cause.getMessage());
  }

  @Test
  void whoAnswersStays() {
    RawPeer peer = victim.proven("accept");
    peer.answersPings();
    suspect(victim.end());
    victim.pass(2 * HALF_A_SECOND);
    assertNull(victim.end().cause);
    assertNull(peer.over());
  }
}
