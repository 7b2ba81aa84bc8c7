package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.AllowedSkips;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.ProviderContract;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract on every verbs device of this machine, or on the device in user space. */
@ExtendWith({TestDevices.class, AllowedSkips.class})
@ParameterizedClass(name = "{0}")
@MethodSource("names")
class VerbsContractTest implements ProviderContract, AllowedSkips.OnStandIn {
  private static final String PREFIX = "verbs:";

  @Parameter
  private String name;

  private String personality() {
    return name.substring(PREFIX.length());
  }

  static List<String> names() {
    List<String> names = new ArrayList<>(TestDevices.names());
    if (Boolean.getBoolean("vertx.rdma.test.full")) {
      Nic.personalities().stream().filter(personality -> !personality.equals(Nic.DEFAULT)).map(PREFIX::concat).forEach(names::add);
      names.add(PREFIX + Nic.WITHOUT_ADDRESS);
    }
    return names;
  }

  @Override
  public Device device() {
    if (!TestDevices.names().contains(name)) {
      assumeTrue(TestDevices.inUserSpace(), "this machine has verbs devices of its own, on which the contract runs");
      Nic.use(personality());
    }
    return Devices.require(new VerbsProvider(), name);
  }

  /** siw checks the key of the first element of each read, also if there are no elements (siw_qp_tx.c, siw_verbs.c). */
  @Override
  public boolean executesEmptyReads() {
    return TestDevices.inUserSpace() || !personality().startsWith("siw");
  }

  @Override
  public boolean isOnStandIn() {
    return TestDevices.inUserSpace();
  }

  @AfterEach
  void useTheDefault() {
    if (TestDevices.inUserSpace()) {
      Nic.use(Nic.DEFAULT);
    }
  }
}
