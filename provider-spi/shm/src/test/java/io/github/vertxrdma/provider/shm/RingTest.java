package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RingTest {
  private final RingFile file = new RingFile(Ring.SMALLEST);
  private final RingWriter writer = file.writer;
  private final RingReader reader = new RingReader(writer.memory);
  private volatile boolean over;

  @AfterEach
  void close() {
    file.close();
  }

  private boolean write(int length, long word) {
    long at = writer.claim(length);
    if (at < 0) {
      return false;
    }
    MemorySegment memory = writer.memory;
    Ring.INT.set(memory, at + Record.TYPE, Record.SEND);
    for (int i = Record.HEADER; i + 8 <= length; i += 8) {
      Ring.LONG.set(memory, at + i, word + i);
    }
    writer.publish(at, length);
    return true;
  }

  private void read(int length, long word) {
    assertEquals(length, reader.length());
    for (int i = Record.HEADER; i + 8 <= length; i += 8) {
      assertEquals(word + i, reader.readLong(i));
    }
    reader.advance();
  }

  @Test
  @Timeout(120)
  void aReaderOnAnotherThreadSeesWholeRecordsInOrder() throws Exception {
    int records = 300_000;
    CompletableFuture<Void> read = CompletableFuture.runAsync(() -> {
      SplittableRandom lengths = new SplittableRandom(7);
      for (int i = 0; i < records && !over; i++) {
        int length = length(lengths);
        while (!reader.next()) {
          if (over) {
            return;
          }
          reader.publish();
          Thread.yield();
        }
        read(length, (long) i << 20);
      }
      reader.publish();
    });
    SplittableRandom lengths = new SplittableRandom(7);
    try {
      for (int i = 0; i < records; i++) {
        int length = length(lengths);
        while (!write(length, (long) i << 20)) {
          assertFalse(read.isCompletedExceptionally());
          Thread.yield();
        }
      }
      read.get();
    } finally {
      over = true;
      read.handle((nothing, failure) -> null).join();
    }
    assertFalse(reader.hasNext());
  }

  private static int length(SplittableRandom random) {
    return Record.HEADER + random.nextInt(random.nextInt(8) == 0 ? Ring.SMALLEST / 4 - Record.HEADER : 128);
  }

  @Test
  void aFullRingTakesNothingUntilItIsRead() {
    int written = 0;
    while (write(1000, written)) {
      written++;
    }
    assertTrue(written > 10);
    assertFalse(writer.moved() || writer.isOvertaken());
    assertTrue(writer.claimLast(Record.HEADER) >= 0, "no room for the record that leads to the next ring");
    for (int i = 0; i < written; i++) {
      assertTrue(reader.next());
      read(1000, i);
    }
    reader.publish();
    assertTrue(writer.moved());
    assertFalse(writer.isOvertaken());
    assertTrue(write(1000, 0));
  }

  @Test
  void lengthsThatCannotBeAreRefused() {
    for (int length : new int[] {-2, 1, 15, Ring.SMALLEST + 1, Integer.MAX_VALUE, Integer.MIN_VALUE, Record.PADDING}) {
      writer.memory.set(ValueLayout.JAVA_INT, Ring.DATA, length);
      assertThrows(DamagedRingException.class, reader::next, "length " + length);
    }
    writer.memory.set(ValueLayout.JAVA_INT, Ring.DATA + Record.TYPE, Record.WRITE);
    writer.memory.set(ValueLayout.JAVA_INT, Ring.DATA, 40);
    assertThrows(DamagedRingException.class, reader::next, "a write without its fields");
  }

  @Test
  void readerAheadOfTheWriterIsRefused() {
    while (write(1000, 0)) {
    }
    for (long head : new long[] {-8, Long.MIN_VALUE, 1 << 20, Long.MAX_VALUE}) {
      writer.memory.set(ValueLayout.JAVA_LONG, Ring.HEAD, head);
      assertEquals(-2, writer.claim(1000), "read up to " + head);
      assertTrue(writer.moved() && writer.isOvertaken(), "read up to " + head);
    }
  }
}
