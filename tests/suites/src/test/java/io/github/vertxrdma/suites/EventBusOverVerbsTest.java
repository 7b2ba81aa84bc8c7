package io.github.vertxrdma.suites;

import static org.junit.Assume.assumeTrue;

import io.github.vertxrdma.nic.Nic;
import org.junit.ClassRule;
import org.junit.rules.ExternalResource;
import org.junit.rules.RuleChain;
import org.junit.rules.TestRule;

public class EventBusOverVerbsTest extends ClusteredBusSuite {
  @ClassRule
  public static final TestRule FABRIC = RuleChain.outerRule(new Device()).around(OverFabric.withAll("verbs:" + Nic.DEFAULT));

  private static final class Device extends ExternalResource {
    @Override
    protected void before() {
      assumeTrue(Nic.built().missing(), Nic.built().missing() == null);
      Nic.built().provide(Nic.DEFAULT);
    }

    @Override
    protected void after() {
      Nic.withdraw();
    }
  }
}
