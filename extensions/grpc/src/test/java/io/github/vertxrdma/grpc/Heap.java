package io.github.vertxrdma.grpc;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Examines the heap after a collection, by reflection, since the module of calls does not read {@code java.management}. */
final class Heap {
  private Heap() {
  }

  /** Returns the bytes in use. The serial collector leaves no gaps behind in one of four collections. */
  static long used() {
    Runtime runtime = Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      System.gc();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }

  /** Returns the number of reachable objects of classes in the package impl. */
  static long objects(String... simpleNames) {
    Set<String> names = Stream.of(simpleNames).map(name -> Heap.class.getPackageName() + ".impl." + name).collect(Collectors.toSet());
    try {
      Class<?> objectName = Class.forName("javax.management.ObjectName");
      Object beans = Class.forName("java.lang.management.ManagementFactory").getMethod("getPlatformMBeanServer").invoke(null);
      String histogram = (String) Class.forName("javax.management.MBeanServer")
        .getMethod("invoke", objectName, String.class, Object[].class, String[].class)
        .invoke(beans, objectName.getConstructor(String.class).newInstance("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
          new Object[] {new String[0]}, new String[] {String[].class.getName()});
      // Columns: number, instances, bytes, class, and the module in brackets.
      return histogram.lines().map(line -> line.trim().split("\\s+")).filter(columns -> columns.length > 3
        && names.contains(columns[3])).mapToLong(columns -> Long.parseLong(columns[1])).sum();
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
