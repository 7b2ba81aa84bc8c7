package io.github.vertxrdma.cli;

import io.github.vertxrdma.commands.Commands;
import io.github.vertxrdma.commands.Doctor;
import io.github.vertxrdma.commands.Info;
import io.github.vertxrdma.commands.Ping;
import io.github.vertxrdma.commands.RdmaCommand;
import io.github.vertxrdma.commands.Stat;
import io.github.vertxrdma.impl.poll.NativeEpoll;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.Requirements;
import io.github.vertxrdma.provider.Selection;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
      case Info info -> info(Provider.all(), info, System.out);
      case Doctor doctor -> new DoctorCommand(Machine.local(),
        List.of(new NodeCheck(NativeEpoll::missing), new DevicesCheck(() -> Survey.of(Provider.all(), new DiscoveryOptions()))))
        .run(System.out);
      case Stat stat -> new StatCommand(System.out, terminal()).run(stat);
      case Ping ping -> new PingCommand(System.out).run(ping);
      default -> throw new CommandException("this command is run by ./rdma");
    };
  }

  /** @return 0, or 1 if no device can be used */
  static int info(List<Provider> providers, Info command, PrintStream out) {
    Survey survey = Survey.of(providers, new DiscoveryOptions());
    Map<String, Selection> selections = new LinkedHashMap<>();
    selections.put("a peer on this host", Selection.of(Requirements.BASIC.withReach(Device.Reach.HOST), survey.usable()));
    selections.put("a peer on another host", Selection.of(Requirements.BASIC.withReach(Device.Reach.NETWORK), survey.usable()));
    if (command.json) {
      out.println(InfoJson.of(survey, selections).encodePrettily());
    } else {
      out.print(command.protocol ? InfoText.protocol(survey) : InfoText.of(survey, selections));
    }
    return survey.usable().isEmpty() ? 1 : 0;
  }

  private static boolean terminal() {
    return System.console() != null && System.console().isTerminal();
  }
}
