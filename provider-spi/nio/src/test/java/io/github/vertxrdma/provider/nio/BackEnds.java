package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.contract.Devices;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** The device by each of the two ways to its sockets. */
final class BackEnds {
  private BackEnds() {
  }

  /** Tests of it are skipped where Linux's calls cannot be made. */
  static Device linux() {
    Device device = device("false");
    Assumptions.assumeTrue(device.capabilities().waiting() == Waiting.FD, "SKIPPED nio by system calls: " + device + " is all there is");
    return device;
  }

  static Device channels() {
    return device("true");
  }

  private static Device device(String channels) {
    return Devices.require(List.of(new NioProvider()), NioDevice.NAME, Map.of(NioProvider.CHANNELS, channels));
  }
}
