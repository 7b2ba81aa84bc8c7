package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.ProviderContract;
import java.util.List;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract on connected endpoints of libfabric's own verbs provider, for every RDMA device of this machine. */
@EnabledIf(value = "isHere", disabledReason = VerbsOverLibfabricContractTest.MISSING)
@ParameterizedClass(name = "{0}")
@MethodSource("names")
class VerbsOverLibfabricContractTest implements ProviderContract {
  static final String MISSING = "libfabric's own verbs provider has no device here: tests/soft-rdma/contract --libfabric FILE runs it on"
    + " siw and rxe";

  @Parameter
  private String name;

  static boolean isHere() {
    return !names().isEmpty();
  }

  static List<String> names() {
    return Fabrics.discovery().devices().stream()
      .filter(device -> device.endpointType() == EndpointType.MSG && device.name().startsWith("libfabric-verbs")).map(Device::name).sorted()
      .toList();
  }

  @Override
  public Device device() {
    return Devices.require(new LibfabricProvider(), name);
  }
}
