package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Device;

/** Promises of this provider beyond the contract, by the system calls of Linux. */
class LinuxSocketsTest implements ConnectionCases, RobustnessCases, StressCases {

  @Override
  public Device device() {
    return BackEnds.linux();
  }
}
