package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.opentest4j.TestAbortedException;

/** Finds the device of a test class, or skips its tests with the name of the device and the reason. */
public final class Devices {
  private Devices() {
  }

  /** Returns the device with a name that a provider finds. For the test class of one provider. */
  public static Device require(Provider provider, String name) {
    return require(List.of(provider), name, Map.of());
  }

  /** Returns the device with a name that any provider on the class path finds. */
  public static Device require(String name) {
    return require(Provider.all(), name, Map.of());
  }

  /**
   * Returns the device with a name.
   *
   * @param settings the settings of discovery; {@code fabric} is set to the name
   * @throws TestAbortedException with the reasons of the providers if there is no such device
   */
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
    String why = "SKIPPED fabric '" + name + "': " + (reasons.isEmpty() ? "no provider knows it" : String.join("; ", reasons));
    System.out.println(why);
    throw new TestAbortedException(why);
  }
}
