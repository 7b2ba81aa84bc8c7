package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.Device;

/** A way to take capabilities away from a device. */
interface Profile {

  String name();

  String base();

  /** Returns why a device is unfit, as the end of a sentence after "which", or null. */
  String misses(Device base);

  Device over(Device base, long seed);
}
