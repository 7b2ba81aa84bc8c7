package io.github.vertxrdma.grpc;

/** Counts allocated bytes of a thread, by reflection, since the module of calls does not read {@code java.management}. */
final class Allocated {
  private Allocated() {
  }

  static long by(long thread) throws ReflectiveOperationException {
    Object threads = Class.forName("java.lang.management.ManagementFactory").getMethod("getThreadMXBean").invoke(null);
    return (long) Class.forName("com.sun.management.ThreadMXBean").getMethod("getThreadAllocatedBytes", long.class).invoke(threads, thread);
  }
}
