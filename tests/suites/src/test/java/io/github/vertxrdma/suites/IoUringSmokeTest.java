package io.github.vertxrdma.suites;

import static org.junit.Assume.assumeTrue;

import io.vertx.core.Vertx;
import io.vertx.core.transport.Transport;
import io.vertx.test.fakecluster.FakeClusterManager;
import org.junit.ClassRule;
import org.junit.jupiter.api.Tag;
import org.junit.rules.RuleChain;
import org.junit.rules.TestRule;

@Tag("full")
public class IoUringSmokeTest extends SmokeTest {
  @ClassRule
  public static final TestRule FABRIC = RuleChain.outerRule((test, description) -> {
    assumeTrue("io_uring is not available here", Transport.IO_URING != null && Transport.IO_URING.available());
    return test;
  }).around(OverFabric.always("shm"));

  @Override
  Vertx newVertx() throws Exception {
    return await(Vertx.builder().withTransport(Transport.IO_URING).withClusterManager(new FakeClusterManager()).buildClustered());
  }
}
