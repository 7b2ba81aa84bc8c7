package io.github.vertxrdma.cli;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.Requirements;
import io.github.vertxrdma.provider.Selection;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** {@code info}: the providers and devices of this machine. */
final class InfoCommand {
  private final PrintStream out;

  InfoCommand(PrintStream out) {
    this.out = out;
  }

  int run(List<String> arguments) {
    if (!arguments.isEmpty()) {
      throw new UsageException("unknown option '" + arguments.get(0) + "'");
    }
    List<Device> devices = new ArrayList<>();
    for (Provider provider : Provider.all()) {
      Discovery discovery = provider.discover(new DiscoveryOptions());
      devices.addAll(discovery.devices());
      discovery.unavailable().forEach(missing -> out.println("unavailable  " + missing));
    }
    out.print(Selection.of(Requirements.BASIC, devices).explain());
    return 0;
  }
}
