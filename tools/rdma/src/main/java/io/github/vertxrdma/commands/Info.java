package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "info", header = "Lists providers and devices, what each can do, and which would be chosen.", description = {"",
  "Lists every provider and device found, its capabilities by a self-test, the strategies that follow from them, and which"
    + " device would be chosen for what. For a device that cannot be used, it prints the reason and the remedy."})
public final class Info implements RdmaCommand {
  @Option(names = "--protocol", description = "How each device sends messages, by size: inline, eager, rendezvous.")
  public boolean protocol;

  @Option(names = "--json", description = "Prints everything as JSON.")
  public boolean json;
}
