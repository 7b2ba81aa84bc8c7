package io.github.vertxrdma.impl.process;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.BitSet;

/** Processors of the calling thread: sched_setaffinity(2). */
public final class BoundThread {
  private static final Path STATUS = Path.of("/proc/thread-self/status");
  /** Bytes of a cpu_set_t. */
  private static final int SET = 128;

  private BoundThread() {
  }

  public static BitSet processors() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment set = arena.allocate(SET, Long.BYTES);
      call("sched_getaffinity", set);
      return BitSet.valueOf(set.asByteBuffer());
    }
  }

  /** Binds the calling thread to one processor for the rest of its life. */
  public static void to(int processor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment set = arena.allocate(SET, Long.BYTES);
      set.set(ValueLayout.JAVA_BYTE, processor / Byte.SIZE, (byte) (1 << processor % Byte.SIZE));
      call("sched_setaffinity", set);
    }
  }

  private static void call(String function, MemorySegment set) {
    Linker linker = Linker.nativeLinker();
    int result;
    try {
      result = (int) linker.downcallHandle(linker.defaultLookup().find(function).orElseThrow(),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS))
        .invokeExact(0, (long) SET, set);
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
    if (result != 0) {
      throw new IllegalStateException(function + " failed");
    }
  }

  /**
   * Returns the NUMA node to which the calling thread is bound.
   * @param nodes folder in place of /sys/devices/system/node
   */
  public static int node(Path nodes) {
    return NumaNode.of(STATUS, nodes);
  }
}
