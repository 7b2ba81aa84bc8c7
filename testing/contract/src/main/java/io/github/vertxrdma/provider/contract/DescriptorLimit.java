package io.github.vertxrdma.provider.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;

public final class DescriptorLimit implements AutoCloseable {
  private static final int RLIMIT_NOFILE = 7;
  private static final int STANDARD = 3;

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment limits = arena.allocate(16, 8);
  private final long before;

  private DescriptorLimit(int number) {
    // Loads logging classes now, because later no descriptor is left for loading them.
    new SimpleFormatter().format(new LogRecord(Level.INFO, ""));
    Libc.require("getrlimit", RLIMIT_NOFILE, limits);
    before = limits.get(ValueLayout.JAVA_LONG, 0);
    limits.set(ValueLayout.JAVA_LONG, 0, number);
    Libc.require("setrlimit", RLIMIT_NOFILE, limits);
  }

  public static DescriptorLimit none() {
    return new DescriptorLimit(STANDARD);
  }

  public static DescriptorLimit more(int count) {
    // RLIMIT_NOFILE limits the value of descriptors, not their number. Finds the first value to refuse.
    List<Integer> free = new ArrayList<>();
    for (int i = 0; i <= count; i++) {
      free.add(Libc.require("eventfd", 0, 0));
    }
    free.forEach(fd -> Libc.require("close", fd));
    return new DescriptorLimit(free.getLast());
  }

  @Override
  public void close() {
    limits.set(ValueLayout.JAVA_LONG, 0, before);
    Libc.require("setrlimit", RLIMIT_NOFILE, limits);
    arena.close();
  }
}
