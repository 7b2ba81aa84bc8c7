package io.github.vertxrdma.perf.work;

/** Server or client of a workload. Used by one thread, which may block. */
interface Workload extends AutoCloseable {

  static Workload of(Setup setup) throws Exception {
    return switch (setup.mode()) {
      case "bus", "start", "service", "address", "http", "contract" -> {
        // Includes the loading of the classes.
        long begin = System.nanoTime();
        yield new EchoRequests(setup, begin);
      }
      case "function" -> new FunctionCalls(setup);
      case "connection", "stream" -> new Connects(setup);
      default -> switch (setup.stack()) {
        case "aeron" -> new AeronMessages(setup);
        case "tcp" -> new TcpMessages(setup);
        default -> switch (setup.mode()) {
          case "latency", "rate" -> new RdmaMessages(setup);
          default -> new RdmaRegions(setup);
        };
      };
    };
  }

  /** Starts the server. */
  void serve() throws Exception;

  void connect() throws Exception;

  /** @param size bytes of an operation */
  Sample run(int size, long nanos) throws Exception;

  @Override
  void close() throws Exception;
}
