package io.github.vertxrdma.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.impl.node.Pings;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The link of a peer that sends frames without credits for control frames ends when frames have waited as long as for a silent peer. */
@Timeout(60)
class StingyPeerTest {
  private static final long DEAD = TimeUnit.MILLISECONDS.toNanos(LoopOptions.DEFAULT.deadMillis());
  private static final long PERIOD = TimeUnit.MILLISECONDS.toNanos(LoopOptions.DEFAULT.suspectMillis() / 4);
  private static final int FRAMES = 40;
  private static final int MOST_ECHOES = 2_000;

  private final Victim victim = new Victim();
  private final RawPeer peer = victim.proven("accept");
  private final Victim.End end = victim.end();

  @AfterEach
  void theOthersGoOn() {
    victim.assertHonest();
    victim.close();
  }

  /** @param given credits for control frames */
  private void talk(long nanos, int given) {
    for (long passed = 0; passed < nanos && peer.over() == null; passed += PERIOD) {
      peer.sendCredits(Frame.CREDIT, 1, given);
      victim.pass(PERIOD);
      end.link.send(Unpooled.wrappedBuffer(new byte[1]), null);
      victim.settle();
      peer.take();
    }
  }

  private void ask() {
    for (int i = 0; i < FRAMES; i++) {
      end.link.sendFrame(Frame.REGION_BASE, 0, 0, 0, Victim.NONE);
    }
  }

  @Test
  void peerThatGivesNoCreditsIsGivenUp() {
    ask();
    assertTrue(end.link.waitingFrames() > 0);
    talk(DEAD / 2, 0);
    assertFalse(end.over, "it was given no time: " + end.cause);
    talk(DEAD, 0);
    assertTrue(end.over, end.link.waitingFrames() + " frames wait for ever");
    assertEquals(Reason.PROTOCOL, ((RdmaException) end.cause).reason());
    assertTrue(end.cause.getMessage().contains("raw") && end.cause.getMessage().contains("frames that wait here"),
      end.cause.getMessage());
    assertEquals(0, end.link.waitingFrames());
  }

  @Test
  void peerThatGivesNoCreditsAndFallsSilentIsGivenUp() {
    talk(PERIOD, 0);
    ask();
    talk(2 * PERIOD, 0);
    victim.pass(2 * DEAD);
    assertTrue(end.over, end.link.waitingFrames() + " frames wait for ever");
    assertTrue(end.cause.getMessage().contains("nothing arrived over the connection"), end.cause.getMessage());
  }

  @Test
  void peerThatReadsNoEchoesReceivesNoCredits() {
    RawPeer caller = victim.proven(Pings.SERVICE);
    caller.answersPings();
    int credits = LoopOptions.DEFAULT.dataCredits();
    int asked = 0;
    for (; credits > 0 && asked < MOST_ECHOES; asked += credits, credits = given(caller)) {
      for (int i = 0; i < credits; i++) {
        caller.send(Frame.DATA, 0, 0, 0, new byte[8 << 10]);
      }
      victim.settle();
    }
    assertNull(caller.over());
    assertTrue(asked < MOST_ECHOES, "after " + asked + " messages that were not taken back it could send more");
  }

  private static int given(RawPeer caller) {
    List<RawPeer.Received> frames = caller.take();
    caller.sendCredits(Frame.CREDIT, 0, frames.size());
    return frames.stream().mapToInt(RawPeer.Received::dataCredits).sum();
  }

  @Test
  void peerThatGivesCreditsNowAndThenIsKept() {
    ask();
    for (int i = 0; i < 6; i++) {
      talk(DEAD / 2, 0);
      talk(PERIOD, 1);
    }
    assertNull(end.cause);
    talk(4 * PERIOD, FRAMES);
    assertEquals(0, end.link.waitingFrames());
    talk(3 * DEAD, 0);
    assertNull(end.cause, "nothing waited for it");
  }
}
