package io.github.vertxrdma;

import io.github.vertxrdma.nic.Nic;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lends each test of a {@link FabricPair} the verbs devices in user space that it names: {@code verbs:mlx5}. Only for so long, since
 * other tests count on the fabrics of this machine. Skips where the device cannot be built, with the reason.
 */
final class VerbsInUserSpace implements ExecutionCondition, BeforeEachCallback, AfterEachCallback {
  static final String PREFIX = "verbs:";

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    String missing = Nic.built().missing();
    return missing != null ? ConditionEvaluationResult.disabled(missing) : ConditionEvaluationResult.enabled("the device can be built");
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    List<String> devices = ((FabricPair) context.getRequiredTestInstance()).devices();
    Nic.built().provide(devices.stream().map(device -> device.substring(PREFIX.length())).toArray(String[]::new));
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Nic.withdraw();
  }
}
