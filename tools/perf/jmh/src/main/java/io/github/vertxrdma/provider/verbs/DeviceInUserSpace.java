package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.nic.Nic;

/** Has the provider of this process take the device in user space for its libraries. */
final class DeviceInUserSpace {
  private DeviceInUserSpace() {
  }

  /** @throws IllegalStateException with the reason if it cannot be built here */
  static Nic use() {
    Nic nic = Nic.built();
    if (nic.missing() != null) {
      throw new IllegalStateException(nic.missing());
    }
    nic.provide(Nic.DEFAULT);
    return nic;
  }
}
