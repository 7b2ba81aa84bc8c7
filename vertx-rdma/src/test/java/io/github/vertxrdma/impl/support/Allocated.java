package io.github.vertxrdma.impl.support;

/** Bytes that a thread has allocated; by name, since the module does not read that of management. */
public final class Allocated {
  private Allocated() {
  }

  /** So far. */
  public static long byThisThread() {
    try {
      Object threads = Class.forName("java.lang.management.ManagementFactory").getMethod("getThreadMXBean").invoke(null);
      return (long) Class.forName("com.sun.management.ThreadMXBean").getMethod("getCurrentThreadAllocatedBytes").invoke(threads);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
