package io.github.vertxrdma.demo;

import io.github.vertxrdma.commands.UsageException;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Looks whether a fabric is here before three processes look for it. */
final class FabricCheck {
  static final List<String> FABRICS = List.of("nio", "tcp", "rxm", "net", "shm", "fi-shm", "efa-profile", "tcp-1.11-profile");

  private FabricCheck() {
  }

  /** @throws UsageException in one line: what there is, and why the one that was asked for is not */
  static void check(String fabric) {
    List<String> names = new ArrayList<>();
    String reason = "";
    for (Provider provider : Provider.all()) {
      Discovery found = provider.discover(new DiscoveryOptions(null, Map.of("fabric", fabric)));
      for (Device device : found.devices()) {
        if (device.name().equals(fabric) || device.fabric().equals(fabric)) {
          return;
        }
        names.add(device.name());
      }
      for (Discovery.Unavailable missing : found.unavailable()) {
        // The reason of the fabric itself says more than that a whole provider is missing.
        if (missing.what().equals(fabric)
          || reason.isEmpty() && missing.what().equals(provider.name()) && FABRICS.contains(fabric)) {
          reason = "; " + missing;
        }
      }
    }
    throw new UsageException("there is no fabric '" + fabric + "' here; there are " + String.join(", ", names) + reason);
  }
}
