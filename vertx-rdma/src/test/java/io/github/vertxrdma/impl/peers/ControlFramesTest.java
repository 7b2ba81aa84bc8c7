package io.github.vertxrdma.impl.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.support.Allocated;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Frames in a stream that is cut anywhere. */
class ControlFramesTest {
  private static final int MEGABYTE = 1 << 20;

  private static Buffer random(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return Buffer.buffer(bytes);
  }

  @Test
  void theyAreTheSameHoweverTheStreamIsCut() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      List<Buffer> sent = new ArrayList<>();
      Buffer stream = Buffer.buffer();
      for (int i = 0; i < 20; i++) {
        sent.add(random(random, random.nextInt(random.nextInt(500) + 1)));
        stream.appendBuffer(ControlFrames.encode((byte) i, sent.getLast()));
      }
      ControlFrames frames = new ControlFrames(500);
      int came = 0;
      for (int at = 0, end; at < stream.length(); at = end) {
        end = Math.min(stream.length(), at + 1 + random.nextInt(random.nextInt(800) + 1));
        Buffer piece = stream.getBuffer(at, end);
        Buffer before = piece.copy();
        for (frames.add(piece); frames.next(); came++) {
          assertEquals((byte) came, frames.type());
          assertEquals(sent.get(came), frames.payload(), "frame " + came + " of seed " + seed);
        }
        assertEquals(before, piece, "what came is not this side's to change");
      }
      assertEquals(sent.size(), came, "seed " + seed);
    }
  }

  /** A copy of all earlier parts for each of many parts would allocate too much. */
  @Test
  void aLongOneInManyPiecesIsCopiedAFewTimes() throws Exception {
    Buffer whole = ControlFrames.encode((byte) 1, random(new Random(1), MEGABYTE));
    ControlFrames frames = new ControlFrames(MEGABYTE);
    List<Buffer> pieces = new ArrayList<>();
    for (int at = 0; at < whole.length(); at += 64) {
      pieces.add(whole.getBuffer(at, Math.min(whole.length(), at + 64)));
    }
    long before = Allocated.byThisThread();
    for (Buffer piece : pieces) {
      assertFalse(frames.next());
      frames.add(piece);
    }
    assertTrue(frames.next());
    long bytes = Allocated.byThisThread() - before;
    assertEquals(whole.getBuffer(ControlFrames.HEAD, whole.length()), frames.payload());
    assertTrue(bytes < 16 * MEGABYTE, bytes + " bytes allocated");
  }
}
