package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.ProviderContract;
import java.util.List;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract on connected endpoints of libfabric's own verbs provider, for every RDMA device of this machine. */
@ParameterizedClass(name = "{0}")
@MethodSource("names")
class VerbsOverLibfabricContractTest implements ProviderContract {
  /** The name of its devices, and of the test where there is none. */
  private static final String PREFIX = "libfabric-verbs";

  @Parameter
  private String name;

  static List<String> names() {
    List<String> names = Fabrics.discovery().devices().stream()
      .filter(device -> device.endpointType() == EndpointType.MSG && device.name().startsWith(PREFIX)).map(Device::name).sorted().toList();
    return names.isEmpty() ? List.of(PREFIX) : names;
  }

  @Override
  public Device device() {
    return Devices.require(new LibfabricProvider(), name);
  }
}
