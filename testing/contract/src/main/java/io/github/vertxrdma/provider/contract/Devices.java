package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.opentest4j.TestAbortedException;

public final class Devices {
  private Devices() {
  }

  public static Device require(Provider provider, String name) {
    return require(List.of(provider), name, Map.of());
  }

  public static Device require(String name) {
    return require(Provider.all(), name, Map.of());
  }

  /** @throws TestAbortedException with the reasons if there is no such device */
  public static Device require(List<Provider> providers, String name, Map<String, String> settings) {
    Map<String, String> all = new java.util.HashMap<>(settings);
    all.put("fabric", name);
    List<String> reasons = new ArrayList<>();
    for (Provider provider : providers) {
      Discovery discovery = provider.discover(new DiscoveryOptions(null, all));
      for (Device device : discovery.devices()) {
        if (device.name().equals(name)) {
          return device;
        }
      }
      discovery.unavailable().forEach(u -> reasons.add(u.toString()));
    }
    String why = "SKIPPED fabric '" + name + "': " + (reasons.isEmpty() ? "no provider has it" : String.join("; ", reasons));
    System.out.println(why);
    throw new TestAbortedException(why);
  }
}
