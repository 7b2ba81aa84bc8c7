package io.github.vertxrdma.suites;

import org.junit.ClassRule;
import org.junit.rules.TestRule;

/** Vert.x's tests of the clustered event bus over nio. */
public class EventBusOverNioTest extends ClusteredBusSuite {
  @ClassRule
  public static final TestRule FABRIC = OverFabric.withAll("nio");
}
