package io.github.vertxrdma.grpc.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.common.CodecException;
import io.vertx.grpc.common.MessageSizeOverflowException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GzipTest {
  private static final int MOST = 1 << 20;

  private static Buffer bytes(int length, int seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return Buffer.buffer(bytes);
  }

  private static void assertRefused(String words, Buffer message) {
    String told = assertThrows(CodecException.class, () -> Gzip.decompress(message, MOST)).getMessage();
    assertTrue(told.contains(words), told);
  }

  @Test
  void messagesOfAnyLengthComeBack() {
    for (int length : new int[] {0, 1, 15, 64, 1000, 65_536, 1_000_000, MOST}) {
      Buffer random = bytes(length, length);
      assertEquals(random, Gzip.decompress(Gzip.compress(random), MOST));
      Buffer zeros = Buffer.buffer(new byte[length]);
      assertEquals(zeros, Gzip.decompress(Gzip.compress(zeros), MOST));
    }
  }

  @Test
  void aMessageBeyondTheLimitIsRefused() {
    for (int length : new int[] {MOST + 1, 100 << 20}) {
      Buffer bomb = Gzip.compress(Buffer.buffer(new byte[length]));
      assertThrows(MessageSizeOverflowException.class, () -> Gzip.decompress(bomb, MOST));
    }
    assertThrows(MessageSizeOverflowException.class, () -> Gzip.decompress(Gzip.compress(Buffer.buffer("x")), 0));
    assertEquals(Buffer.buffer(), Gzip.decompress(Gzip.compress(Buffer.buffer()), 0));
  }

  @Test
  void manyMembersAreRefused() {
    Buffer empty = Gzip.compress(Buffer.buffer());
    Buffer many = Buffer.buffer();
    for (int i = 0; i < 200_000; i++) {
      many.appendBuffer(empty);
    }
    assertRefused("more than one member", many);
  }

  @Test
  void optionalFieldsOfTheHeaderAreRefused() {
    byte[] message = Gzip.compress(Buffer.buffer("words")).getBytes();
    message[3] = 8;
    assertRefused("optional fields", Buffer.buffer(message));
  }

  @Test
  void incompleteMessagesAreRefused() {
    Buffer message = Gzip.compress(Buffer.buffer("words"));
    for (int length = 0; length < message.length(); length++) {
      Buffer part = message.getBuffer(0, length);
      assertThrows(CodecException.class, () -> Gzip.decompress(part, MOST));
    }
  }

  @Test
  void damagedBytesAreRefused() {
    Buffer plain = bytes(300, 1);
    Buffer message = Gzip.compress(plain);
    Random random = new Random(2);
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = message.getBytes();
      damaged[10 + random.nextInt(damaged.length - 10)] ^= (byte) (1 << random.nextInt(8));
      try {
        // Bits that pad a block have no meaning.
        assertEquals(plain, Gzip.decompress(Buffer.buffer(damaged), MOST));
      } catch (CodecException e) {
        refused++;
      }
    }
    assertTrue(refused > 19_000, refused + " refused");
    assertRefused("header", Buffer.buffer("no gzip at all, but long enough for one"));
  }
}
