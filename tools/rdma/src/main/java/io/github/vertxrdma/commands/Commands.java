package io.github.vertxrdma.commands;

import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Parses command lines of {@code rdma}, and prints errors, help and completion. */
public final class Commands {
  private static final int WIDTH = 80;

  private Commands() {
  }

  public interface Body {
    /** @return exit status */
    int run(RdmaCommand command) throws Exception;
  }

  /** @throws UsageException with the error in one line */
  public static RdmaCommand parse(String... arguments) {
    CommandLine line = line();
    try {
      return command(last(line.parseArgs(arguments)));
    } catch (ParameterException e) {
      throw new UsageException(reason(e));
    }
  }

  /**
   * Runs a command. Prints an error in one line.
   *
   * @return status of the command; 1 if it failed, 2 if the command line is invalid
   */
  public static int run(String[] arguments, Body body) {
    CommandLine line = line();
    CommandLine given = line;
    try {
      given = last(line.parseArgs(arguments));
      if (given.isUsageHelpRequested()) {
        given.usage(System.out);
        return 0;
      }
      return body.run(command(given));
    } catch (ParameterException e) {
      return refused(e.getCommandLine(), reason(e));
    } catch (UsageException e) {
      return refused(given, e.getMessage());
    } catch (Throwable e) {
      System.err.println(name(given) + ": " + Printable.of(words(e)));
      if (Boolean.getBoolean("rdma.verbose")) {
        e.printStackTrace();
      }
      return 1;
    }
  }

  /** Returns the message of a failure, or its type and message for an {@link Error}. */
  public static String words(Throwable failure) {
    return failure instanceof Error || failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }

  private static int refused(CommandLine line, String reason) {
    System.err.println(name(line) + ": " + reason + "; see ./" + name(line) + " --help");
    return 2;
  }

  private static CommandLine last(ParseResult result) {
    return result.asCommandLineList().getLast();
  }

  private static RdmaCommand command(CommandLine line) {
    if (line.getCommand() instanceof RdmaCommand command) {
      command.check();
      return command;
    }
    throw new UsageException("name a command: " + String.join(", ", line.getSubcommands().keySet()));
  }

  private static String name(CommandLine line) {
    return line.getCommandSpec().qualifiedName(" ");
  }

  /** Removes Java types from picocli's messages. */
  private static String plain(String words) {
    return words.replaceFirst("^Invalid value for option '(.*)': '.*' is not a boolean$", "$1 takes no value")
      .replaceFirst("^Invalid value for (?:option '|positional parameter at index \\d+ \\()(.*?)['\\)]: '(.*)' is not an? (?:int|long)$",
        "$1 $2: not a whole number");
  }

  private static String reason(ParameterException e) {
    if (!(e instanceof UnmatchedArgumentException unmatched)) {
      return e instanceof OverwrittenOptionException ? e.getMessage() + " twice" : plain(e.getMessage());
    }
    String word = unmatched.getUnmatched().getFirst();
    boolean command = !unmatched.isUnknownOption() && !e.getCommandLine().getSubcommands().isEmpty();
    String reason = unmatched.isUnknownOption() ? "unknown option '" + word + "'"
      : command ? "there is no command '" + word + "'" : "'" + word + "' is one argument too many";
    List<String> near = !command && !unmatched.isUnknownOption() ? List.of() : unmatched.getSuggestions();
    return near.isEmpty() ? reason : reason + "; did you mean '" + near.getFirst().replaceFirst("^.* ", "") + "'?";
  }

  /** @param path names of a command and its parents, without {@code rdma} */
  static String help(String... path) {
    CommandLine line = line();
    for (String name : path) {
      line = line.getSubcommands().get(name);
    }
    return line.getUsageMessage(Ansi.OFF);
  }

  private static CommandLine line() {
    CommandLine line = new CommandLine(new MainCommand());
    explain(line);
    line.getSubcommands().get("perf").getCommandSpec().usageMessage().footer(Perf.modes());
    return line.setUsageHelpWidth(WIDTH).setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF)).setOverwrittenOptionsAllowed(true);
  }

  private static void explain(CommandLine line) {
    line.getCommandSpec().addOption(CommandLine.Model.OptionSpec.builder("-h", "--help").usageHelp(true).hidden(true).build());
    line.getCommandSpec().usageMessage().sortOptions(false).sortSynopsis(false).synopsisHeading("Usage: ./");
    line.getSubcommands().values().forEach(Commands::explain);
  }

  static String completion() {
    return AutoComplete.bash("rdma", line());
  }

  /** Checks a command line. Prints the completion script, but runs no other command. */
  public static void main(String[] arguments) {
    System.exit(run(arguments, command -> {
      if (command instanceof MainCommand.CompletionScript) {
        System.out.print(completion());
      }
      return 0;
    }));
  }
}
