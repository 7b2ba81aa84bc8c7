package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The verbs devices of this machine, for parameterized tests. As an extension it skips a whole class, with the reason, where there is none. */
final class TestDevices implements ExecutionCondition {
  /** Does not change while tests run, and takes a while. */
  private static final Discovery FOUND = new VerbsProvider().discover(new DiscoveryOptions());

  /** For JUnit. */
  TestDevices() {
  }

  /** Their names; one that no device has if there are none. */
  static List<String> names() {
    List<String> names = FOUND.devices().stream().map(Device::name).sorted().toList();
    return names.isEmpty() ? List.of("verbs") : names;
  }

  /** Why there are none; null if there are some. */
  static String missing() {
    return FOUND.devices().isEmpty() ? FOUND.unavailable().stream().map(Object::toString).collect(Collectors.joining("; ")) : null;
  }

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return missing() != null ? ConditionEvaluationResult.disabled(missing()) : ConditionEvaluationResult.enabled("devices " + names());
  }
}
