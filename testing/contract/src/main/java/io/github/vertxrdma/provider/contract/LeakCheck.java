package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.foreign.Arena;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.engine.support.hierarchical.OpenTest4JAwareThrowableCollector;
import org.junit.platform.engine.support.hierarchical.ThrowableCollector;

/**
 * Checks for leaks after each test. Also passes arguments to tests of a {@link ContractFixture}, and closes the arguments after the test: a
 * connected {@link Pair}, an {@link Unconnected} one, a {@link Domain} of the device, or a shared {@link Arena}.
 */
public final class LeakCheck implements BeforeEachCallback, ParameterResolver, InvocationInterceptor, AfterEachCallback {
  private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(LeakCheck.class);
  private static final Set<Class<?>> TYPES = Set.of(Pair.class, Domain.class, Arena.class);
  /** Time limit for opening an argument, equal to that of {@link ContractTest}, which covers only the test method. */
  private static final Duration OPEN_LIMIT = Duration.ofSeconds(120);

  /** Selects a pair that a test connects itself. */
  @Target(ElementType.PARAMETER)
  @Retention(RetentionPolicy.RUNTIME)
  public @interface Unconnected {
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    context.getTestInstance().filter(ContractFixture.class::isInstance).map(ContractFixture.class::cast)
      .ifPresent(fixture -> {
        // JUnit reports what a resolver throws as a failure, so a missing device must skip the test here.
        if (!(fixture instanceof AllowedSkips.OnStandIn stand && stand.isOnStandIn())) {
          fixture.device();
        }
        warmUp(fixture, context);
      });
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
    Thread limit = interruptAfter(OPEN_LIMIT, Thread.currentThread());
    if (context.getConfigurationParameter(Timeout.TIMEOUT_MODE_PROPERTY_NAME).filter("disabled"::equalsIgnoreCase).isEmpty()) {
      limit.start();
    }
    try {
      AutoCloseable argument = open(parameter, ((ContractFixture) context.getRequiredTestInstance()).device());
      arguments(context).push(argument);
      return argument;
    } finally {
      limit.interrupt();
      // Later tests run on the same thread.
      Thread.interrupted();
    }
  }

  private static AutoCloseable open(ParameterContext parameter, Device device) {
    Class<?> type = parameter.getParameter().getType();
    return type == Arena.class ? Arena.ofShared() : type == Domain.class ? device.open()
      : parameter.isAnnotated(Unconnected.class) ? Pair.open(device, new PairOptions()) : Pair.connected(device);
  }

  /** Returns an unstarted thread that interrupts another thread after a time, unless it is interrupted earlier. */
  private static Thread interruptAfter(Duration time, Thread thread) {
    return Thread.ofVirtual().unstarted(() -> {
      try {
        Thread.sleep(time);
        thread.interrupt();
      } catch (InterruptedException e) {
        // The argument was opened in time.
      }
    });
  }

  @SuppressWarnings("unchecked")
  private static Deque<AutoCloseable> arguments(ExtensionContext context) {
    return context.getStore(NAMESPACE).getOrComputeIfAbsent("arguments", key -> new ArrayDeque<AutoCloseable>(), Deque.class);
  }

  @Override
  public void interceptTestMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context) {
    proceedAndClose(invocation, context);
  }

  @Override
  public void interceptTestTemplateMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> method,
    ExtensionContext context) {
    proceedAndClose(invocation, context);
  }

  /** Closes the arguments within the time limit of the test, and before its methods that run after each test. */
  private static void proceedAndClose(Invocation<Void> invocation, ExtensionContext context) {
    ThrowableCollector failures = new OpenTest4JAwareThrowableCollector();
    failures.execute(invocation::proceed);
    closeArguments(context, failures);
  }

  /** Closes all arguments, the last one first. Throws the first failure, with the other ones as suppressed. */
  private static void closeArguments(ExtensionContext context, ThrowableCollector failures) {
    for (AutoCloseable argument; (argument = arguments(context).poll()) != null;) {
      failures.execute(argument::close);
    }
    failures.assertEmpty();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    // Arguments are still open if the resolver of a later argument failed, or another extension skipped the test.
    closeArguments(context, new OpenTest4JAwareThrowableCollector());
    if (context.getExecutionException().isEmpty()) {
      context.getStore(NAMESPACE).get("before", Leaks.class).assertNoneSince();
    }
  }
}
