package io.github.vertxrdma.demo;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What the demos' command lines have in common: the one they are given, and those of the processes that they start. */
final class CommandLine {
  private CommandLine() {
  }

  /** What follows an option. */
  static String value(String[] args, int i) throws UsageException {
    if (i == args.length) {
      throw new UsageException(args[i - 1] + " needs a value; see ./rdma demo --help");
    }
    return args[i];
  }

  /** The number that follows an option. */
  static int number(String[] args, int i, int least, int most) throws UsageException {
    String text = value(args, i);
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new UsageException(args[i - 1] + ' ' + text + ": a number from " + least + " to " + most);
  }

  /** This Java with this class path again. @param flags of the virtual machine, beside those of this one */
  static List<String> java(List<String> flags, Class<?> main) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    return command;
  }
}
