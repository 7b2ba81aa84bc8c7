package io.github.vertxrdma.impl.transport;

/** Connections of the network stack that went over a fabric in this process. Any thread. */
public final class TransportReport {
  /** System property: {@code true} prints the report when the process exits. */
  static final String PROPERTY = "vertx.rdma.report";

  private TransportReport() {
  }

  /** Prints at exit where that is asked for; called once. */
  static void printAtExit() {
    if (Boolean.getBoolean(PROPERTY)) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(TransportCounters.PROCESS), "vertx-rdma-report"));
    }
  }

  /** Channels connected and accepted over a fabric. */
  public static long channels() {
    return TransportCounters.PROCESS.channels();
  }

  /** Bytes sent and received over a fabric. */
  public static long bytes() {
    return TransportCounters.PROCESS.bytes();
  }

  /** Connections that were meant for a fabric and took TCP. */
  public static long fallbacks() {
    return TransportCounters.PROCESS.fallbacks();
  }

  /** All of it in one line. */
  public static String line() {
    return TransportCounters.PROCESS.toString();
  }
}
