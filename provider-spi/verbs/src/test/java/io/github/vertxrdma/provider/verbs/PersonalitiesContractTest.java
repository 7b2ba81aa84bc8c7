package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.ProviderContract;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract on the device in user space as other adapters are: what they lack is skipped by the capability's name. */
@ExtendWith(TestDevices.class)
@ParameterizedClass(name = "{0}")
@MethodSource("names")
class PersonalitiesContractTest implements ProviderContract {
  @Parameter
  private String name;

  static List<String> names() {
    return Nic.personalities().stream().filter(name -> !name.equals(Nic.DEFAULT)).toList();
  }

  @Override
  public Device device() {
    assumeTrue(TestDevices.inUserSpace(), "this machine has verbs devices of its own, on which the contract runs");
    Nic.use(name);
    return Devices.require(new VerbsProvider(), "verbs:" + name);
  }

  @AfterEach
  void useTheDefault() {
    if (TestDevices.inUserSpace()) {
      Nic.use(Nic.DEFAULT);
    }
  }
}
