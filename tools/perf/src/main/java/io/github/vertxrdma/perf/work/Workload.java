package io.github.vertxrdma.perf.work;

import io.vertx.core.json.JsonObject;

/** Server or client of a workload. Used by one thread, which may block. */
interface Workload extends AutoCloseable {

  static Workload of(Setup setup) throws Exception {
    return switch (setup.mode()) {
      case "bus" -> new BusRequests(setup);
      case "start" -> new FreshNode(setup);
      case "service", "address" -> new ServiceRequests(setup);
      case "http" -> new HttpRequests(setup);
      case "contract" -> new ContractCalls(setup);
      case "function" -> new FunctionCalls(setup);
      case "connection" -> setup.stack().equals("tcp") ? new SocketConnects(setup) : new RdmaConnects(setup);
      case "stream" -> new SocketConnects(setup);
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

  /** Starts the server, and returns data for {@link #connect}. */
  JsonObject serve() throws Exception;

  void connect(JsonObject server) throws Exception;

  /** @param size bytes of an operation */
  Sample run(int size, long nanos) throws Exception;

  @Override
  void close() throws Exception;
}
