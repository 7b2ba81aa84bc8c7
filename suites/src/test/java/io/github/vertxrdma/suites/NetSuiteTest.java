package io.github.vertxrdma.suites;

import io.vertx.tests.net.NetBandwidthLimitingTest;
import io.vertx.tests.net.NetTest;

/** Vert.x's tests of TCP servers and clients. */
class NetSuiteTest extends SuiteContract {
  NetSuiteTest() {
    super("net", NetTest.class, NetBandwidthLimitingTest.class);
  }
}
