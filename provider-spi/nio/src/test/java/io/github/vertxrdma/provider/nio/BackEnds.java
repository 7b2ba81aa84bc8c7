package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.PortRange;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.contract.Devices;
import java.net.InetAddress;
import org.junit.jupiter.api.Assumptions;

/** The device with system calls of Linux, and with channels of the JDK. */
final class BackEnds {
  private BackEnds() {
  }

  static Device linux() {
    Device device = Devices.require(new NioProvider(), NioDevice.NAME);
    Assumptions.assumeTrue(device.capabilities().waiting() == Waiting.FD, "SKIPPED nio by system calls: " + device + " is all there is");
    return device;
  }

  static Device channels() {
    return new NioDevice(InetAddress.getLoopbackAddress(), new PortRange(0, 0), false);
  }
}
