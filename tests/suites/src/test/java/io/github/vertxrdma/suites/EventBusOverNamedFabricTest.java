package io.github.vertxrdma.suites;

import org.junit.ClassRule;
import org.junit.rules.TestRule;

/** Vert.x's tests of the clustered event bus over the fabric or device that a system property names: such as one of the verbs provider. */
public class EventBusOverNamedFabricTest extends ClusteredBusSuite {
  @ClassRule
  public static final TestRule FABRIC = OverFabric.named();
}
