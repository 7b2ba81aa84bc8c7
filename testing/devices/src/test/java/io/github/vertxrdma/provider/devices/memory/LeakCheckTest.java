package io.github.vertxrdma.provider.devices.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.contract.ContractFixture;
import io.github.vertxrdma.provider.contract.LeakCheck;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Checks when {@link LeakCheck} opens and closes the arguments of tests. */
class LeakCheckTest {

  private static TestExecutionSummary run(Class<?> tests) {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request().selectors(DiscoverySelectors.selectClass(tests)).build(),
      listener);
    return listener.getSummary();
  }

  @Test
  void testIsSkippedWhenItsDeviceIsMissing() {
    DeviceThatDisappears.missing = false;
    TestExecutionSummary summary = run(DeviceThatDisappears.class);
    assertEquals(1, summary.getTestsSucceededCount());
    assertEquals(1, summary.getTestsAbortedCount());
  }

  @Test
  void argumentsAreClosedBeforeMethodsAfterEachTest() {
    OpenArguments.aliveAfterTest = true;
    assertEquals(1, run(OpenArguments.class).getTestsSucceededCount());
    assertFalse(OpenArguments.aliveAfterTest);
  }

  @Test
  void argumentsAreClosedIfOneFailsToClose() {
    ClosedArguments.first = null;
    assertEquals(1, run(ClosedArguments.class).getTestsFailedCount());
    assertFalse(ClosedArguments.first.scope().isAlive());
  }

  abstract static class Fixture implements ContractFixture {
    private static final Device MEMORY = InMemoryFabric.create("leaks", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS).device();

    @Override
    public Device device() {
      return MEMORY;
    }
  }

  @TestMethodOrder(MethodOrderer.MethodName.class)
  static class DeviceThatDisappears extends Fixture {
    private static boolean missing;

    @Override
    public Device device() {
      assumeFalse(missing, "no device");
      return super.device();
    }

    @Test
    void first(Domain domain) {
      missing = true;
    }

    @Test
    void second(Domain domain) {
    }
  }

  static class OpenArguments extends Fixture {
    private static boolean aliveAfterTest;
    private Arena arena;

    @Test
    void test(Arena shared) {
      arena = shared;
    }

    @AfterEach
    void look() {
      aliveAfterTest = arena.scope().isAlive();
    }
  }

  static class ClosedArguments extends Fixture {
    private static Arena first;

    @Test
    void test(Arena one, Arena two) {
      first = one;
      // A second close fails.
      two.close();
    }
  }
}
