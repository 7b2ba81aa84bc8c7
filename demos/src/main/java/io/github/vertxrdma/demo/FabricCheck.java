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
  private FabricCheck() {
  }

  /** @throws UsageException in one line: why there is no such fabric, or which there are */
  static void check(String fabric) {
    List<Device> devices = new ArrayList<>();
    List<Discovery.Unavailable> missing = new ArrayList<>();
    for (Provider provider : Provider.all()) {
      Discovery found = Discovery.by(provider, new DiscoveryOptions(null, Map.of("fabric", fabric)));
      devices.addAll(found.devices());
      missing.addAll(found.unavailable());
    }
    if (devices.stream().noneMatch(device -> device.name().equals(fabric) || device.fabric().equals(fabric))) {
      throw new UsageException(new Discovery(devices, missing).without(fabric));
    }
  }
}
