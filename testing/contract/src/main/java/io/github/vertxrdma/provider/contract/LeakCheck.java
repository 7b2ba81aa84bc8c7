package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Checks for leaks after each test. Also passes arguments to tests of a {@link ContractFixture}, and closes the arguments after the test: a
 * connected {@link Pair}, an {@link Unconnected} one, a {@link Domain} of the device, or a shared {@link Arena}.
 */
public final class LeakCheck implements BeforeEachCallback, ParameterResolver, AfterEachCallback {
  private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(LeakCheck.class);
  private static final Set<Class<?>> TYPES = Set.of(Pair.class, Domain.class, Arena.class);

  /** Selects a pair that a test connects itself. */
  @Target(ElementType.PARAMETER)
  @Retention(RetentionPolicy.RUNTIME)
  public @interface Unconnected {
  }

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
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return TYPES.contains(parameter.getParameter().getType());
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Device device = ((ContractFixture) context.getRequiredTestInstance()).device();
    Class<?> type = parameter.getParameter().getType();
    AutoCloseable argument = type == Arena.class ? Arena.ofShared() : type == Domain.class ? device.open()
      : parameter.isAnnotated(Unconnected.class) ? Pair.open(device, new PairOptions()) : Pair.connected(device);
    arguments(context).push(argument);
    return argument;
  }

  @SuppressWarnings("unchecked")
  private static Deque<AutoCloseable> arguments(ExtensionContext context) {
    return context.getStore(NAMESPACE).getOrComputeIfAbsent("arguments", key -> new ArrayDeque<AutoCloseable>(), Deque.class);
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    for (AutoCloseable argument : arguments(context)) {
      argument.close();
    }
    if (context.getExecutionException().isEmpty()) {
      context.getStore(NAMESPACE).get("before", Leaks.class).assertNoneSince();
    }
  }
}
