package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The verbs devices of this machine, for parameterized tests; where it has none, the device in user space. As an extension it skips a whole
 * class, with the reason, where neither can be had.
 */
final class TestDevices implements ExecutionCondition {
  /** System property with the path of the libibverbs to use. */
  static final String LIBRARY = "vertx.rdma.verbs.libibverbs";
  /** System property with the name of the one device to use. */
  private static final String DEVICE = "vertx.rdma.test.device";
  /** Does not change while tests run, and takes a while. */
  private static final Discovery FOUND = find();

  /** For JUnit. */
  TestDevices() {
  }

  private static Discovery find() {
    Discovery found = new VerbsProvider().discover(new DiscoveryOptions());
    Nic nic = Nic.built();
    if (!found.devices().isEmpty() || nic.missing() != null) {
      return found;
    }
    nic.provide(Nic.DEFAULT);
    return new VerbsProvider().discover(new DiscoveryOptions());
  }

  /** Their names; one that no device has if there are none. */
  static List<String> names() {
    String one = System.getProperty(DEVICE);
    List<String> names = FOUND.devices().stream().map(Device::name).filter(name -> one == null || one.equals(name)).sorted().toList();
    return names.isEmpty() ? List.of("verbs") : names;
  }

  /** Whether they are the device in user space. */
  static boolean inUserSpace() {
    return Nic.built().isProvided();
  }

  /** Why there are none; null if there are some. */
  static String missing() {
    if (!FOUND.devices().isEmpty()) {
      return null;
    }
    String why = FOUND.unavailable().stream().map(Object::toString).collect(Collectors.joining("; "));
    return Nic.built().missing() == null ? why : why + "; " + Nic.built().missing();
  }

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return missing() != null ? ConditionEvaluationResult.disabled(missing()) : ConditionEvaluationResult.enabled("devices " + names());
  }
}
