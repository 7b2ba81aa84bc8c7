package io.github.vertxrdma.suites;

import io.vertx.tests.eventbus.ClusteredEventBusTest;
import org.junit.ClassRule;
import org.junit.rules.TestRule;

/** Vert.x's tests of the clustered event bus over shm. */
public class EventBusOverShmTest extends ClusteredEventBusTest {
  @ClassRule
  public static final TestRule FABRIC = OverFabric.withFull("shm");
}
