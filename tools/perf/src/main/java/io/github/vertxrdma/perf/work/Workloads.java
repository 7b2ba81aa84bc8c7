package io.github.vertxrdma.perf.work;

/** Makes the workload of a setup. */
final class Workloads {
  private Workloads() {
  }

  static Workload create(Setup setup) throws Exception {
    return switch (setup.mode()) {
      case "bus" -> new BusRequests(setup);
      case "start" -> new FreshNode(setup);
      case "service", "address" -> new ServiceRequests(setup);
      case "http" -> new HttpRequests(setup);
      case "contract" -> new ContractCalls(setup);
      case "function" -> new FunctionCalls(setup);
      case "idle" -> setup.stack().equals("spi") ? new IdleEndpoints(setup) : new IdleConnections(setup);
      case "connect" -> setup.stack().equals("tcp") ? new SocketConnects(setup) : new RdmaConnects(setup);
      case "streams", "proofs" -> new SocketConnects(setup);
      default -> switch (setup.stack()) {
        case "aeron" -> new AeronMessages(setup);
        case "tcp" -> new TcpMessages(setup);
        default -> messages(setup) ? new RdmaMessages(setup) : new RdmaRegions(setup);
      };
    };
  }

  private static boolean messages(Setup setup) {
    return switch (setup.mode()) {
      case "latency", "bandwidth", "rate" -> true;
      default -> false;
    };
  }
}
