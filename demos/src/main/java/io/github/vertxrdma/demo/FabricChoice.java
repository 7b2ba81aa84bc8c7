package io.github.vertxrdma.demo;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.Requirements;
import io.github.vertxrdma.provider.Selection;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The fabric that a node takes to peers on other hosts if none is forced, with the reasons against the others. */
record FabricChoice(Selection selection, List<Discovery.Unavailable> missing) {

  /** Looks for devices. Blocks. */
  static FabricChoice at(InetAddress host) {
    List<Device> devices = new ArrayList<>();
    List<Discovery.Unavailable> missing = new ArrayList<>();
    DiscoveryOptions options = new DiscoveryOptions(host, Map.of());
    for (Provider provider : Provider.all()) {
      if (provider.isFallback(options)) {
        continue;
      }
      Discovery found = Discovery.by(provider, options);
      devices.addAll(found.devices());
      missing.addAll(found.unavailable());
    }
    return new FabricChoice(Selection.of(Requirements.BASIC.withReach(Device.Reach.NETWORK), devices), List.copyOf(missing));
  }

  /** In one line: the device, what comes next, and why the rest is not taken. */
  String inWords() {
    List<String> ranked = selection.ranked().stream().map(Device::name).toList();
    List<String> not = new ArrayList<>();
    selection.refused().forEach(refusal -> not.add("not " + refusal));
    missing.forEach(unavailable -> not.add("not " + unavailable));
    return (ranked.isEmpty() ? "none" : ranked.getFirst() + ", the best that reaches other hosts"
      + (selection.ranked().getFirst().capabilities().kernelSocket() ? ", while the event bus takes TCP there" : ""))
      + (ranked.size() < 2 ? "" : ranked.stream().skip(1).collect(Collectors.joining(", ", " (then ", ")")))
      + (not.isEmpty() ? "" : "; " + String.join("; ", not));
  }
}
