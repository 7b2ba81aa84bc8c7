package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.Device;

/** A way to take capabilities away from a device. */
interface Profile {

  String name();

  /** Returns the name of the default device behind. */
  String base();

  /** Returns why a device is unfit, as the end of a sentence after "which". Null if the device fits. */
  String misses(Device base);

  Device over(Device base, long seed);
}
