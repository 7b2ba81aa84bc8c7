package io.github.vertxrdma.suites;

import org.junit.ClassRule;
import org.junit.rules.TestRule;

/** Vert.x's tests of the clustered event bus over shm. */
public class EventBusOverShmTest extends ClusteredBusSuite {
  @ClassRule
  public static final TestRule FABRIC = OverFabric.withFull("shm");
}
