package io.github.vertxrdma.impl.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.support.Allocated;
import io.github.vertxrdma.impl.support.FedPipe;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Frames in a stream that is cut anywhere. */
class ControlSocketTest {
  private static final int MEGABYTE = 1 << 20;

  private final FedPipe pipe = new FedPipe();
  private final List<Byte> types = new ArrayList<>();
  private final List<Buffer> payloads = new ArrayList<>();
  private final List<String> closed = new ArrayList<>();

  private void start(int limit) {
    new ControlSocket(pipe, limit, (type, payload) -> {
      types.add(type);
      payloads.add(payload);
    }, cause -> closed.add(String.valueOf(cause)));
  }

  private static Buffer random(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return Buffer.buffer(bytes);
  }

  @Test
  void framesAreTheSameHoweverTheStreamIsCut() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      List<Buffer> sent = new ArrayList<>();
      List<Byte> sentTypes = new ArrayList<>();
      Buffer stream = Buffer.buffer();
      for (int i = 0; i < 20; i++) {
        sent.add(random(random, random.nextInt(random.nextInt(500) + 1)));
        sentTypes.add((byte) i);
        stream.appendBuffer(ControlSocket.encode((byte) i, sent.getLast()));
      }
      types.clear();
      payloads.clear();
      start(500);
      for (int at = 0, end; at < stream.length(); at = end) {
        end = Math.min(stream.length(), at + 1 + random.nextInt(random.nextInt(800) + 1));
        Buffer piece = stream.getBuffer(at, end);
        Buffer before = piece.copy();
        pipe.feed(piece);
        assertEquals(before, piece, "received bytes must not be changed");
      }
      assertEquals(sentTypes, types, "seed " + seed);
      assertEquals(sent, payloads, "seed " + seed);
    }
  }

  @Test
  void invalidLengthClosesConnection() {
    start(10);
    pipe.feed(ControlSocket.encode((byte) 1, Buffer.buffer(new byte[10])));
    pipe.feed(ControlSocket.encode((byte) 2, Buffer.buffer(new byte[11])).appendBuffer(ControlSocket.encode((byte) 3, Buffer.buffer())));
    pipe.feed(ControlSocket.encode((byte) 4, Buffer.buffer()));
    assertEquals(List.of((byte) 1), types);
    assertTrue(closed.size() == 1 && closed.getFirst().contains("invalid frame length 12"), closed::toString);
  }

  /** A copy of all earlier parts for each of many parts would allocate too much. */
  @Test
  void longFrameInManyPiecesIsCopiedAFewTimes() throws Exception {
    Buffer payload = random(new Random(1), MEGABYTE);
    Buffer frame = ControlSocket.encode((byte) 1, payload);
    List<Buffer> pieces = new ArrayList<>();
    for (int at = 0; at < frame.length(); at += 64) {
      pieces.add(frame.getBuffer(at, Math.min(frame.length(), at + 64)));
    }
    start(MEGABYTE);
    long before = Allocated.byThisThread();
    pieces.forEach(pipe::feed);
    long bytes = Allocated.byThisThread() - before;
    assertEquals(List.of(payload), payloads);
    assertTrue(bytes < 16 * MEGABYTE, bytes + " bytes allocated");
  }
}
