package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.ProviderContract;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract on every verbs device of this machine; a skip that says why where there is none. */
@ExtendWith(TestDevices.class)
@ParameterizedClass(name = "{0}")
@MethodSource("names")
class VerbsContractTest implements ProviderContract {
  @Parameter
  private String name;

  static List<String> names() {
    return TestDevices.names();
  }

  @Override
  public Device device() {
    return Devices.require(new VerbsProvider(), name);
  }
}
