package io.github.vertxrdma;

import io.github.vertxrdma.nic.Nic;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lends each test of a {@link FabricPair} the verbs device in user space whose name its fabric says: {@code verbs:mlx5}. Only for so long, since
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
    Nic.built().provide(((FabricPair) context.getRequiredTestInstance()).fabric().substring(PREFIX.length()));
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Nic.withdraw();
  }
}
