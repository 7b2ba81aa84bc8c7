package io.github.vertxrdma.cli;

import io.github.vertxrdma.cli.machine.Machine;
import io.github.vertxrdma.cli.machine.Shell;
import io.github.vertxrdma.provider.Provider;

import java.util.List;

/** Runs one command: {@code java -cp … io.github.vertxrdma.cli.Main COMMAND [ARGUMENT…]}. */
public final class Main {
  private Main() {
  }

  /** Ends the process with the command's status: 0 success, 1 failure, 2 wrong use. */
  public static void main(String[] arguments) {
    String command = arguments.length == 0 ? "help" : arguments[0];
    List<String> rest = List.of(arguments).subList(Math.min(1, arguments.length), arguments.length);
    int status;
    try {
      status = run(command, rest);
    } catch (UsageException e) {
      System.err.println("rdma " + command + ": " + e.getMessage() + "; see ./rdma " + command + " --help");
      status = 2;
    } catch (CommandException e) {
      System.err.println("rdma " + command + ": " + e.getMessage());
      status = 1;
    }
    System.out.flush();
    System.exit(status);
  }

  private static int run(String command, List<String> arguments) {
    return switch (command) {
      case "info" -> new InfoCommand(Provider.all(), System.out).run(arguments);
      case "doctor" -> new DoctorCommand(System.out).run(arguments);
      case "stat" -> new StatCommand(System.out, System.console() != null && System.console().isTerminal()).run(arguments);
      case "ping" -> new PingCommand(System.out).run(arguments);
      case "watch" -> new WatchCommand(Machine.local(), System.out).run(arguments);
      case "siw" -> soft(SoftDevice.SIW, arguments);
      case "rxe" -> soft(SoftDevice.RXE, arguments);
      default -> throw new CommandException("there is no such command; see ./rdma --help");
    };
  }

  private static int soft(SoftDevice kind, List<String> arguments) {
    return new SoftDeviceCommand(kind, Machine.local(), Shell.system(), System.out).run(arguments);
  }
}
