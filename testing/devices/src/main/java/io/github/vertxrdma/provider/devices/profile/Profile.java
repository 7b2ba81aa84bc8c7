package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.Device;

/** A way to make one device less than it is. */
interface Profile {

  String name();

  /** The device it is usually made of. */
  String base();

  /** The lack that makes the device unfit, in words that go on a sentence after "which"; null if it fits. */
  String misses(Device base);

  Device over(Device base, long seed);
}
