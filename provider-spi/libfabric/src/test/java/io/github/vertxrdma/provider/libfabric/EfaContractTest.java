package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.ProviderContract;
import java.util.List;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract on every EFA device of this machine; tests/efa/run does it on an instance that has one. */
@EnabledIf(value = "isHere", disabledReason = EfaContractTest.MISSING)
@ParameterizedClass(name = "{0}")
@MethodSource("names")
class EfaContractTest implements ProviderContract {
  static final String MISSING = "no EFA device is here: tests/efa/run is for instances with one";

  @Parameter
  private String name;

  static boolean isHere() {
    return !names().isEmpty();
  }

  static List<String> names() {
    return Fabrics.discovery().devices().stream().filter(device -> device.fabric().equals("efa")).map(Device::name).sorted().toList();
  }

  @Override
  public Device device() {
    return Devices.require(new LibfabricProvider(), name);
  }
}
