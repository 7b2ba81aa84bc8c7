package io.github.vertxrdma.suites;

import org.junit.ClassRule;
import org.junit.rules.TestRule;

public class EventBusOverNioTest extends ClusteredBusSuite {
  @ClassRule
  public static final TestRule FABRIC = OverFabric.withAll("nio");
}
