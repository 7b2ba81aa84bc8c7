package io.github.vertxrdma.suites;

import io.vertx.tests.net.NetBandwidthLimitingTest;
import io.vertx.tests.net.NetTest;
import io.vertx.tests.net.ProxyErrorTest;
import io.vertx.tests.net.SharedServersConcurrencyTest;
import io.vertx.tests.net.VertxConnectionTest;

class NetSuiteTest extends SuiteContract {
  NetSuiteTest() {
    super("net", NetTest.class, NetBandwidthLimitingTest.class, ProxyErrorTest.class, SharedServersConcurrencyTest.class,
      VertxConnectionTest.class);
  }
}
