package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import java.util.Map;
import org.opentest4j.TestAbortedException;

/** The devices of the library under test. */
final class Fabrics {
  private Fabrics() {
  }

  /** Finds all devices, also those that the verbs provider uses. */
  static Discovery discovery() {
    return new LibfabricProvider().discover(new DiscoveryOptions(null, Map.of("fabric", "libfabric-verbs")));
  }

  /** @throws TestAbortedException with the reason if it is not here */
  static Device device(String name) {
    Discovery found = discovery();
    return found.devices().stream().filter(device -> device.name().equals(name)).findFirst().orElseThrow(() -> new TestAbortedException(
      found.unavailable().stream().filter(u -> u.what().equals(name) || u.what().equals(LibfabricProvider.NAME)).findFirst()
        .map(Object::toString).orElse(name + " is not among " + found.devices())));
  }
}
