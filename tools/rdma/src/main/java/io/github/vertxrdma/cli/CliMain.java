package io.github.vertxrdma.cli;

import io.github.vertxrdma.cli.doctor.DoctorCommand;
import io.github.vertxrdma.cli.machine.Machine;
import io.github.vertxrdma.commands.Commands;
import io.github.vertxrdma.commands.Doctor;
import io.github.vertxrdma.commands.Info;
import io.github.vertxrdma.commands.Ping;
import io.github.vertxrdma.commands.RdmaCommand;
import io.github.vertxrdma.commands.Stat;
import io.github.vertxrdma.impl.poll.NativeEpoll;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import java.util.List;

public final class CliMain {
  private CliMain() {
  }

  /** Exits with 0 for success, 1 for failure, 2 for wrong use. */
  public static void main(String[] arguments) {
    int status = Commands.run(arguments, CliMain::run);
    System.out.flush();
    System.exit(status);
  }

  static int run(RdmaCommand command) {
    return switch (command) {
      case Info info -> new InfoCommand(Provider.all(), System.out).run(info);
      case Doctor doctor -> new DoctorCommand(Machine.local(),
        List.of(new NodeCheck(NativeEpoll::missing), new DevicesCheck(() -> Survey.of(Provider.all(), new DiscoveryOptions()))))
        .run(System.out);
      case Stat stat -> new StatCommand(System.out, terminal()).run(stat);
      case Ping ping -> new PingCommand(System.out).run(ping);
      default -> throw new CommandException("this command is run by ./rdma");
    };
  }

  private static boolean terminal() {
    return System.console() != null && System.console().isTerminal();
  }
}
