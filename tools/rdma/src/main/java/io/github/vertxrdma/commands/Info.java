package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "info", header = "Lists providers, devices, capabilities and the order of choice.", description = {"",
  "Lists each provider and device, the capabilities that a self-test of the device found, how operations are carried out with them, "
    + "and the device that would be chosen for each use. For a device that cannot be used, it prints the reason and the remedy."})
public final class Info implements RdmaCommand {
  @Option(names = "--protocol", description = "Prints how each device sends messages of each size: inline, eager or rendezvous.")
  public boolean protocol;

  @Option(names = "--json", description = "Prints everything as JSON.")
  public boolean json;
}
