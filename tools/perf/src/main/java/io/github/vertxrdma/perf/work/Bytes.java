package io.github.vertxrdma.perf.work;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Fills messages, and adds up the bytes of received ones. */
final class Bytes {
  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.nativeOrder());

  private static long number;

  /** Result of the additions, which prevents their removal by the compiler. */
  private long sum;

  private Bytes() {
  }

  static Bytes of(Setup setup) {
    return setup.has("touch") ? new Bytes() : null;
  }

  static MemorySegment memory(Buffer buffer) {
    return MemorySegment.ofBuffer(((BufferInternal) buffer).getByteBuf().nioBuffer());
  }

  /** Fills a message with a value that differs from the previous message's. */
  static void fill(Buffer message) {
    number++;
    memory(message).fill((byte) (1 + number % 100));
  }

  static Buffer filled(int size) {
    Buffer message = Buffer.buffer(new byte[size]);
    fill(message);
    return message;
  }

  void add(Buffer part) {
    sum += sum(memory(part));
  }

  /** Adds up a message of whole words. @throws IllegalStateException if its words differ */
  void addMessage(MemorySegment message) {
    long added = sum(message);
    if (added != (message.byteSize() / WORD.byteSize()) * message.get(WORD, 0)) {
      throw new IllegalStateException("a message has other bytes than were sent");
    }
    sum += added;
  }

  /** Adds in four sums, as the program in C does. */
  private static long sum(MemorySegment message) {
    long words = message.byteSize() / WORD.byteSize();
    long a = 0;
    long b = 0;
    long c = 0;
    long d = 0;
    long i = 0;
    for (; i + 4 <= words; i += 4) {
      a += message.getAtIndex(WORD, i);
      b += message.getAtIndex(WORD, i + 1);
      c += message.getAtIndex(WORD, i + 2);
      d += message.getAtIndex(WORD, i + 3);
    }
    for (; i < words; i++) {
      a += message.getAtIndex(WORD, i);
    }
    for (long at = words * WORD.byteSize(); at < message.byteSize(); at++) {
      d += message.get(ValueLayout.JAVA_BYTE, at);
    }
    return a + b + c + d;
  }
}
