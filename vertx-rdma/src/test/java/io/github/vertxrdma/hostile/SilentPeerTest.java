package io.github.vertxrdma.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.Frame;
import io.netty.buffer.Unpooled;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A peer whose fabric would report its death is pinged while it owes an answer, and its link ends if it stays silent although its process
 * runs.
 */
@Timeout(60)
class SilentPeerTest {
  private static final long DEAD = TimeUnit.MILLISECONDS
    .toNanos(LoopOptions.DEFAULT.deadMillis() + 2 * LoopOptions.DEFAULT.suspectMillis());

  private final Victim victim = new Victim();
  private final RawPeer peer = victim.proven("accept");
  private final Victim.End end = victim.end();

  @AfterEach
  void theOthersGoOn() {
    victim.assertHonest();
    victim.close();
  }

  private void quiet() {
    peer.send(Frame.DATA, 0, 0, 0, new byte[1]);
    victim.settle();
    assertEquals(1, end.messages.size());
    peer.take();
  }

  private long pings() {
    return peer.take().stream().filter(frame -> frame.type() == Frame.PING).count();
  }

  private void assertGivenUp() {
    victim.pass(DEAD);
    assertEquals(1, pings());
    assertTrue(end.over, "it was not given up");
    assertTrue(end.cause.getMessage().contains("nothing arrived over the connection"), end.cause.getMessage());
    assertTrue(victim.silent.contains(end.link), "its node is not asked");
  }

  @Test
  void idlePeerIsNotAsked() {
    quiet();
    victim.pass(10 * DEAD);
    assertEquals(0, pings());
    assertFalse(end.over);
  }

  @Test
  void peerThatDoesNotAnswerAMessageIsGivenUp() {
    quiet();
    end.link.send(Unpooled.wrappedBuffer(new byte[1]), null);
    assertGivenUp();
  }

  @Test
  void linkStaysWhilePeerIsStopped() {
    quiet();
    victim.peersAreStopped = true;
    end.link.send(Unpooled.wrappedBuffer(new byte[1]), null);
    victim.pass(20 * DEAD);
    assertEquals(1, pings());
    assertFalse(end.over);
    peer.answersPings();
    peer.send(Frame.DATA, 0, 0, 0, new byte[1]);
    victim.settle();
    assertEquals(2, end.messages.size());
  }

  @Test
  void peerThatDoesNotAnswerAPingIsGivenUp() {
    quiet();
    end.link.ping();
    assertGivenUp();
  }

  @Test
  void peerThatAnswersIsAskedOnce() {
    quiet();
    peer.answersPings();
    end.link.send(Unpooled.wrappedBuffer(new byte[1]), null);
    victim.pass(10 * DEAD);
    assertEquals(1, pings());
    assertNull(end.cause);
    assertNull(peer.over());
  }
}
