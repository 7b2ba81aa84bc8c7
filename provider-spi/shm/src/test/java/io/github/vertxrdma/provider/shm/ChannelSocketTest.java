package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Frames of a peer that says what it likes: messages, and after the first that is none the end. */
@Timeout(60)
class ChannelSocketTest {
  private static final int MUTATIONS = 2_000;
  private ChannelFrames frames;

  @BeforeEach
  void listen() {
    frames = new ChannelFrames();
  }

  @AfterEach
  void close() {
    frames.close();
  }

  private static byte[] frame(int length, int... bytes) {
    ByteBuffer frame = ByteBuffer.allocate(4 + bytes.length).order(ByteOrder.nativeOrder()).putInt(length);
    for (int each : bytes) {
      frame.put((byte) each);
    }
    return frame.array();
  }

  /** A message of four bytes with one file. */
  private static byte[] right() {
    byte[] name = ".file-1-2-3".getBytes(StandardCharsets.US_ASCII);
    byte[] frame = frame(3 + name.length + 4, new int[3 + name.length + 4]);
    frame[4] = 1;
    frame[5] = 1;
    frame[6] = (byte) name.length;
    System.arraycopy(name, 0, frame, 7, name.length);
    frame[frame.length - 4] = 6;
    return frame;
  }

  @Test
  void aMessageIsReadAndThenTheEnd() throws IOException {
    List<Message.Received> messages = frames.messages(right());
    assertEquals(2, messages.size());
    assertEquals(4, messages.getFirst().bytes().remaining());
    assertEquals(1, messages.getFirst().files().size());
  }

  static Stream<byte[]> none() {
    return Stream.of(frame(0), frame(-1), frame(1 << 20), frame(1, 2), frame(1, 1), frame(2, 1, 1), frame(3, 1, 1, 127), frame(3, 1, 1, 255),
      frame(1, 255), frame(1, 127), frame(7, 1, 1, 4, '/', 'e', 't', 'c'), frame(9, 1, 1, 6, '.', 'f', 'i', 'l', 'e', '/'),
      Arrays.copyOf(right(), right().length - 1), new byte[3]);
  }

  @ParameterizedTest
  @MethodSource("none")
  void whatIsNoMessageIsTheEnd(byte[] bytes) throws IOException {
    assertEquals(1, frames.messages(bytes).size());
  }

  @Test
  void anythingIsAMessageOrTheEnd() throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < MUTATIONS; i++) {
      byte[] bytes = Arrays.copyOf(right(), 2 * right().length);
      System.arraycopy(right(), 0, bytes, right().length, right().length);
      for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      frames.messages(Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)));
    }
  }
}
