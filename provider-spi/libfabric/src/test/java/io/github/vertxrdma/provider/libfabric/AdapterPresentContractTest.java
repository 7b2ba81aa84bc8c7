package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.ProviderContract;
import java.util.List;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The contract on every EFA device of this machine, or on the one device of libfabric that the system property {@value #DEVICE} names, as
 * tests/adapters/run does.
 */
@EnabledIf(value = "isHere", disabledReason = AdapterPresentContractTest.MISSING)
@ParameterizedClass(name = "{0}")
@MethodSource("names")
class AdapterPresentContractTest implements ProviderContract {
  static final String MISSING = "no EFA device is here: tests/adapters/run is for machines with one";
  private static final String DEVICE = "vertx.rdma.test.device";

  @Parameter
  private String name;

  static boolean isHere() {
    return !names().isEmpty();
  }

  static List<String> names() {
    String one = System.getProperty(DEVICE);
    return one != null && !one.startsWith("verbs:") ? List.of(one)
      : Fabrics.discovery().devices().stream().filter(device -> device.fabric().equals("efa")).map(Device::name).sorted().toList();
  }

  @Override
  public Device device() {
    return Devices.require(new LibfabricProvider(), name);
  }
}
