package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.Device;

interface Profile {

  String name();

  String base();

  /** Returns why a device is unsuitable, as the end of a sentence after "which"; null if it is suitable. */
  String misses(Device base);

  Device over(Device base, long seed);
}
