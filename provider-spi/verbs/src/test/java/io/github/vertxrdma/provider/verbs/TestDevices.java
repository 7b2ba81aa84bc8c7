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

/** The verbs devices of this machine, or the device in user space. As an extension it skips a class without either. */
final class TestDevices implements ExecutionCondition {
  static final String LIBRARY = "vertx.rdma.verbs.libibverbs";
  private static final String DEVICE = "vertx.rdma.test.device";
  private static final Discovery FOUND = find();

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

  static List<String> names() {
    String one = System.getProperty(DEVICE);
    List<String> names = FOUND.devices().stream().map(Device::name).filter(name -> one == null || one.equals(name)).sorted().toList();
    return names.isEmpty() ? List.of("verbs") : names;
  }

  static boolean inUserSpace() {
    return Nic.built().isProvided();
  }

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
