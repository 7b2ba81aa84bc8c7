package io.github.vertxrdma.demo;

import io.github.vertxrdma.commands.Commands;
import io.github.vertxrdma.commands.Demo;
import io.github.vertxrdma.commands.RdmaCommand;

/** Runs a demo: {@code java -cp … io.github.vertxrdma.demo.Main demo [NAME] [OPTION…]}. */
public final class Main {
  private Main() {
  }

  /** Ends the process: 0 success, 1 failure, 2 wrong use. */
  public static void main(String[] line) {
    System.exit(Commands.run(line, command -> run(command, line)));
  }

  private static int run(RdmaCommand command, String[] line) throws Exception {
    return switch (command) {
      case Demo share -> ShareDemo.run(share, line);
      case Demo.Functions functions -> FunctionsDemo.run(functions, line);
      case Demo.Bus bus -> BusDemo.run(bus, line);
      case Demo.Kv kv -> Pair.run(kv.pair, line, pair -> KvDemo.run(pair, kv));
      case Demo.Http http -> Pair.run(http.pair, line, pair -> HttpDemo.run(pair, http));
      case Demo.Service service -> Pair.run(service.pair, line, pair -> ServiceDemo.run(pair, service));
      case Demo.Contract contract -> Pair.run(contract.pair, line, pair -> ContractDemo.run(pair, contract));
      case Demo.BusNode node -> BusNode.run(node);
      default -> throw new IllegalArgumentException("no demo");
    };
  }
}
