package io.github.vertxrdma.perf;

import io.github.vertxrdma.nic.Nic;
import java.util.ArrayList;
import java.util.List;

/** The verbs device in user space, named {@code verbs:} with one of its personalities. */
final class DeviceInUserSpace {
  private static final String PREFIX = "verbs:";

  private DeviceInUserSpace() {
  }

  static boolean isNamedBy(String fabric) {
    return fabric.startsWith(PREFIX) && Nic.personalities().contains(fabric.substring(PREFIX.length()));
  }

  static String missing() {
    return Nic.built().missing();
  }

  /**
   * Adds the device's libraries to a command if the fabric names the device.
   *
   * @throws PerfException if the device cannot be built
   */
  static List<String> command(String fabric, List<String> command) {
    if (!isNamedBy(fabric)) {
      return command;
    }
    if (missing() != null) {
      throw new PerfException(missing());
    }
    List<String> all = new ArrayList<>(Nic.built().launcher(fabric.substring(PREFIX.length())));
    all.addAll(command);
    return all;
  }
}
