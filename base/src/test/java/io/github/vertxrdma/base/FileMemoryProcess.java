package io.github.vertxrdma.base;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Truncates a file, and counts the accesses that fail in their own call. Arguments: a file, and the number of accesses before. */
final class FileMemoryProcess {
  private static final int SIZE = 1 << 20;
  private static final int[] LENGTHS = {1, 8, 63, 100, 5000, 70_000, SIZE};

  private FileMemoryProcess() {
  }

  public static void main(String[] arguments) throws IOException {
    int warm = Integer.parseInt(arguments[1]);
    try (Arena arena = Arena.ofShared();
      FileChannel file = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.CREATE, StandardOpenOption.READ,
        StandardOpenOption.WRITE)) {
      MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, arena);
      MemorySegment other = arena.allocate(SIZE, 8);
      for (int i = 0; i < warm; i++) {
        int length = LENGTHS[i % 5];
        if (faults(mapped, other, length, i) || faults(other, mapped, length, i)) {
          throw new AssertionError("a fault in a file of its size");
        }
      }
      file.truncate(0);
      int faults = 0;
      int others = 0;
      for (int round = 0; round < 20; round++) {
        for (int length : LENGTHS) {
          for (int way = 0; way < 4; way++) {
            faults += faults(mapped, other, length, way) ? 1 : 0;
            faults += faults(other, mapped, length, way) ? 1 : 0;
            // A late fault would show here.
            others += faults(other, other, length, way) ? 1 : 0;
          }
        }
      }
      System.out.println("faults " + faults + " of " + 20 * LENGTHS.length * 8 + ", late " + others);
    }
  }

  private static boolean faults(MemorySegment from, MemorySegment to, int length, int way) {
    try {
      switch (way % 4) {
        case 0, 1 -> FileMemory.copy(from, 0, to, 0, length);
        case 2 -> {
          FileMemory.getAndAdd(from, 0, 1);
          FileMemory.putLong(to, 8, way);
        }
        default -> {
          FileMemory.putLong(to, 3, way);
          FileMemory.compareAndExchange(from, 0, 0, 0);
        }
      }
      return false;
    } catch (MemoryFaultException e) {
      return true;
    }
  }
}
