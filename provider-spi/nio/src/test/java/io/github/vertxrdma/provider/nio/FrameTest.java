package io.github.vertxrdma.provider.nio;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FrameTest {
  private final ByteBuffer read = ByteBuffer.allocate(1024);

  @Test
  void aGoodbyeIsFoundBehindOtherFrames() {
    assertFalse(Frame.hasGoodbye(read, 0));
    read.put(new byte[8]);
    frame(Frame.SEND, 16);
    read.put(new byte[16]);
    frame(Frame.READ, 1 << 20);
    assertFalse(Frame.hasGoodbye(read, 8));
    frame(Frame.DISCONNECT, 0);
    assertTrue(Frame.hasGoodbye(read, 8));
  }

  @Test
  void aPayloadOrAPartOfAFrameIsNoGoodbye() {
    frame(Frame.SEND, Frame.HEADER);
    frame(Frame.DISCONNECT, 0);
    assertFalse(Frame.hasGoodbye(read, 0));
    read.put(Frame.DISCONNECT);
    assertFalse(Frame.hasGoodbye(read, 0));
  }

  @Test
  void lengthsThatCannotBeEndTheSearch() {
    for (long length : new long[] {-1, -Frame.HEADER, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32}) {
      read.clear();
      frame(Frame.SEND, length);
      frame(Frame.SEND, length);
      assertFalse(Frame.hasGoodbye(read, 0));
    }
  }

  private void frame(byte type, long length) {
    Frame.put(read, type, 0, 0, 0, 0, 0, 0, length, 0);
  }
}
