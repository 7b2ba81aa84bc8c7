package io.github.vertxrdma.suites;

import io.vertx.tests.tracing.ClusteredEventBusTracingTest;
import io.vertx.tests.tracing.Http1xTracerTest;
import io.vertx.tests.tracing.Http1xTracingTest;
import io.vertx.tests.tracing.Http2TracerTest;
import io.vertx.tests.tracing.Http2TracingTest;

class TracingSuiteTest extends SuiteContract {
  /** ClusteredEventBusTracerTest is left out: a request there times out after 100 ms, too short to connect. */
  TracingSuiteTest() {
    super("tracing", ClusteredEventBusTracingTest.class, Http1xTracerTest.class, Http1xTracingTest.class, Http2TracerTest.class,
      Http2TracingTest.class);
  }
}
