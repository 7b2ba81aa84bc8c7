package io.github.vertxrdma.suites;

import io.vertx.spi.cluster.hazelcast.tests.eventbus.HazelcastClusteredEventbusTest;
import io.vertx.spi.cluster.hazelcast.tests.eventbus.HazelcastFaultToleranceTest;
import io.vertx.spi.cluster.hazelcast.tests.eventbus.HazelcastNodeInfoTest;
import java.util.stream.Stream;

/** Uses only two fabrics, since each test starts and ends a cluster, which takes long. */
class HazelcastSuiteTest extends SuiteContract {
  HazelcastSuiteTest() {
    super("hazelcast", new SuiteRunner("hazelcast", "{\"type\": \"hazelcast\"}", "none"), HazelcastClusteredEventbusTest.class,
      HazelcastNodeInfoTest.class, HazelcastFaultToleranceTest.class);
  }

  @Override
  Stream<String> fabrics() {
    return Stream.of("tcp", "shm");
  }
}
