package io.github.vertxrdma.perf.work;

import java.util.Set;

/** Creates the workload of a setup. */
final class Workloads {
  private static final Set<String> MESSAGES = Set.of("latency", "rate");

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
      case "connection" -> setup.stack().equals("tcp") ? new SocketConnects(setup) : new RdmaConnects(setup);
      case "stream" -> new SocketConnects(setup);
      default -> switch (setup.stack()) {
        case "aeron" -> new AeronMessages(setup);
        case "tcp" -> new TcpMessages(setup);
        default -> MESSAGES.contains(setup.mode()) ? new RdmaMessages(setup) : new RdmaRegions(setup);
      };
    };
  }
}
