package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.DiscoveryOptions;
import java.util.List;

/** The verbs devices of this machine, for parameterized tests. */
final class TestDevices {
  /** What tests without a device are named by. */
  static final String NONE = "verbs";

  private TestDevices() {
  }

  /** Their names; {@link #NONE} alone if there are none, so that what is skipped shows. */
  static List<String> names() {
    List<String> names = new VerbsProvider().discover(new DiscoveryOptions()).devices().stream().map(Device::name).sorted().toList();
    return names.isEmpty() ? List.of(NONE) : names;
  }
}
