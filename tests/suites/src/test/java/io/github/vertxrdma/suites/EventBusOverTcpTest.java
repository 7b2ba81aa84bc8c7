package io.github.vertxrdma.suites;

import org.junit.ClassRule;
import org.junit.rules.TestRule;

/** Vert.x's tests of the clustered event bus over tcp. */
public class EventBusOverTcpTest extends ClusteredBusSuite {
  @ClassRule
  public static final TestRule FABRIC = OverFabric.withAll("tcp");
}
