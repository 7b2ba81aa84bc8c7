package io.github.vertxrdma.commands;

import java.util.Collection;

public sealed interface RdmaCommand
  permits MainCommand.Build, MainCommand.CompletionScript, Demo, Demo.Bus, Demo.BusNode, Demo.Contract, Demo.Service, Demo.Functions,
  Demo.Http, Demo.Kv, MainCommand.Docs, Doctor, Info, MainCommand.Install, Perf, Ping, MainCommand.Release, Soak, Stat, Test {

  /** @throws UsageException if the options are inconsistent */
  default void check() {
  }

  static void range(String option, double value, double least, double most) {
    if (!(value >= least && value <= most)) {
      throw new UsageException(option + " " + text(value) + ": use a number from " + text(least) + " to " + text(most));
    }
  }

  static void oneOf(String option, String word, Collection<String> of) {
    if (!of.contains(word)) {
      throw new UsageException(option + " " + word + ": use one of " + String.join(", ", of));
    }
  }

  private static String text(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }
}
