package io.github.vertxrdma.impl.support;

/** Bytes that a thread has allocated; by reflection, because the module does not read the management module. */
public final class Allocated {
  private Allocated() {
  }

  public static long byThisThread() {
    try {
      Object threads = Class.forName("java.lang.management.ManagementFactory").getMethod("getThreadMXBean").invoke(null);
      return (long) Class.forName("com.sun.management.ThreadMXBean").getMethod("getCurrentThreadAllocatedBytes").invoke(threads);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
