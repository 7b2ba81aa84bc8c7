package io.github.vertxrdma.provider.devices.junit;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Leaks;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each test an in-memory fabric of its own, and checks afterwards that nothing on it was left open:
 *
 * <pre>{@code
 * @ExtendWith(FabricExtension.class)
 * class OrdersTest {
 *   @Test
 *   void ordersArrive(DiscoveryOptions options) { … }
 * }
 * }</pre>
 *
 * <p>During the test the system properties {@code vertx.rdma.memory}, {@code vertx.rdma.memory.name} and {@code vertx.rdma.fabric} make
 * discovery find this fabric and choose it, so code under test needs no change; tests that run at the same time in one JVM take
 * {@link DiscoveryOptions} as a parameter instead. Parameters may also be {@link InMemoryFabric} and {@link Device} (the connected one).
 */
public final class FabricExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
  private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(FabricExtension.class);
  private static final AtomicInteger NUMBERS = new AtomicInteger();
  private static final String PREFIX = "vertx.rdma.";

  /** A test's fabric, the settings that name it, and the properties as they were. */
  private record Given(InMemoryFabric fabric, Map<String, String> settings, Map<String, String> before, Leaks leaks) {
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    given(context);
  }

  private static Given given(ExtensionContext context) {
    return context.getStore(NAMESPACE).getOrComputeIfAbsent(Given.class, type -> {
      Leaks leaks = Leaks.snapshot();
      String name = "memory-" + NUMBERS.incrementAndGet();
      Map<String, String> settings = Map.of("memory", "true", "memory.name", name, "fabric", name);
      Map<String, String> before = new LinkedHashMap<>();
      settings.forEach((key, value) -> before.put(key, System.setProperty(PREFIX + key, value)));
      return new Given(InMemoryFabric.named(name), settings, before, leaks);
    }, Given.class);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Given given = given(context);
    given.before.forEach((key, value) -> {
      if (value == null) {
        System.clearProperty(PREFIX + key);
      } else {
        System.setProperty(PREFIX + key, value);
      }
    });
    InMemoryFabric.forget(given.fabric.name());
    if (context.getExecutionException().isEmpty()) {
      Await.until("nothing left open on the in-memory fabric", () -> given.fabric.open().isEmpty(), () -> 0,
        () -> "left open: " + given.fabric.open());
      given.leaks.assertNoneSince();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == InMemoryFabric.class || type == Device.class || type == DiscoveryOptions.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Given given = given(context);
    Class<?> type = parameter.getParameter().getType();
    if (type == InMemoryFabric.class) {
      return given.fabric;
    }
    return type == Device.class ? given.fabric.device() : new DiscoveryOptions(null, given.settings);
  }
}
