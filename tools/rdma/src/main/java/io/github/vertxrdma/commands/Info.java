package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code info}. */
@Command(name = "info", header = "Providers and devices, what each can do, and which would be chosen.", description = {"",
  "Every provider and device found, what each can do as its self-test found it, the strategies that follow, and which would be chosen for"
    + " what; for what could not be used, the reason and the remedy."})
public final class Info implements RdmaCommand {
  @Option(names = "--protocol", description = "Which way messages go over each device by size: inline, eager, rendezvous.")
  public boolean protocol;

  @Option(names = "--json", description = "Everything for programs.")
  public boolean json;
}
