package io.github.vertxrdma.provider.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.github.vertxrdma.provider.contract.ProviderContract;
import io.github.vertxrdma.provider.devices.strict.StrictDevice;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.Parameter;

/** The contract on the channels of the JDK, and on a strict device over nio. */
@OverFabrics(value = "channels", full = "strict")
class NioVariantsContractTest implements ProviderContract {
  private static StrictDevice strict;

  @Parameter
  private String name;

  @Override
  public Device device() {
    if (name.equals("channels")) {
      return BackEnds.channels();
    }
    strict = strict == null ? StrictDevice.over(Devices.require(new NioProvider(), "nio")) : strict;
    return strict;
  }

  @AfterEach
  void strictDeviceFindsNoViolation() {
    if (strict != null) {
      List<String> violations = strict.violations();
      strict.clearViolations();
      assertEquals(List.of(), violations);
    }
  }
}
