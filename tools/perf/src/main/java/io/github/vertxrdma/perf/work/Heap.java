package io.github.vertxrdma.perf.work;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;

/** Bytes of objects that can be reached. A histogram of classes counts them exactly; what a collector calls used has gaps. */
final class Heap {
  private static final String DIAGNOSTICS = "com.sun.management:type=DiagnosticCommand";

  private Heap() {
  }

  static long used() throws JMException {
    String histogram = (String) ManagementFactory.getPlatformMBeanServer().invoke(new ObjectName(DIAGNOSTICS), "gcClassHistogram",
      new Object[] {new String[0]}, new String[] {String[].class.getName()});
    String total = histogram.lines().filter(line -> line.startsWith("Total")).findFirst().orElseThrow();
    return Long.parseLong(total.trim().split("\\s+")[2]);
  }
}
