package io.github.vertxrdma.grpc;

/** Bytes that a thread has allocated; by name, since the module of calls does not read that of management. */
final class Allocated {
  private Allocated() {
  }

  static long by(long thread) throws ReflectiveOperationException {
    Object threads = Class.forName("java.lang.management.ManagementFactory").getMethod("getThreadMXBean").invoke(null);
    return (long) Class.forName("com.sun.management.ThreadMXBean").getMethod("getThreadAllocatedBytes", long.class).invoke(threads, thread);
  }
}
