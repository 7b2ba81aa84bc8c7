package io.github.vertxrdma.provider.nio;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NioFrameTest {
  private final ByteBuffer read = ByteBuffer.allocate(1024);

  @Test
  void aGoodbyeIsFoundBehindOtherFrames() {
    assertFalse(NioFrame.hasGoodbye(read, 0));
    read.put(new byte[8]);
    frame(NioFrame.SEND, 16);
    read.put(new byte[16]);
    frame(NioFrame.READ, 1 << 20);
    assertFalse(NioFrame.hasGoodbye(read, 8));
    frame(NioFrame.DISCONNECT, 0);
    assertTrue(NioFrame.hasGoodbye(read, 8));
  }

  @Test
  void aPayloadOrAPartOfAFrameIsNoGoodbye() {
    frame(NioFrame.SEND, NioFrame.HEADER);
    frame(NioFrame.DISCONNECT, 0);
    assertFalse(NioFrame.hasGoodbye(read, 0));
    read.put(NioFrame.DISCONNECT);
    assertFalse(NioFrame.hasGoodbye(read, 0));
  }

  @Test
  void lengthsThatCannotBeEndTheSearch() {
    for (long length : new long[] {-1, -NioFrame.HEADER, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32}) {
      read.clear();
      frame(NioFrame.SEND, length);
      frame(NioFrame.SEND, length);
      assertFalse(NioFrame.hasGoodbye(read, 0));
    }
  }

  private void frame(byte type, long length) {
    NioFrame.put(read, type, 0, 0, 0, 0, 0, 0, length, 0);
  }
}
