package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.Domain;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

public final class LeakCheck implements BeforeEachCallback, AfterEachCallback {
  private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(LeakCheck.class);

  @Override
  public void beforeEach(ExtensionContext context) {
    context.getTestInstance().filter(ContractFixture.class::isInstance).map(ContractFixture.class::cast)
      .ifPresent(fixture -> warmUp(fixture, context));
    context.getStore(NAMESPACE).put("before", Leaks.snapshot());
  }

  /** Opens the device once, so that objects that its library keeps open are not reported as leaks. */
  private static void warmUp(ContractFixture fixture, ExtensionContext context) {
    context.getRoot().getStore(NAMESPACE).getOrComputeIfAbsent(fixture.getClass(), type -> {
      try (Domain domain = fixture.device().open()) {
        return domain.createCompletionQueue(16).getClass();
      }
    });
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (context.getExecutionException().isEmpty()) {
      context.getStore(NAMESPACE).get("before", Leaks.class).assertNoneSince();
    }
  }
}
