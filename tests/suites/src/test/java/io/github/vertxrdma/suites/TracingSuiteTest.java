package io.github.vertxrdma.suites;

import io.vertx.tests.tracing.ClusteredEventBusTracingTest;
import io.vertx.tests.tracing.Http1xTracerTest;
import io.vertx.tests.tracing.Http1xTracingTest;
import io.vertx.tests.tracing.Http2TracerTest;
import io.vertx.tests.tracing.Http2TracingTest;

/** Vert.x's tests of traces that go with messages of the clustered event bus and with HTTP requests. */
class TracingSuiteTest extends SuiteContract {
  /** Without ClusteredEventBusTracerTest: one of its requests times out after 100 ms, and has to be connected before. */
  TracingSuiteTest() {
    super("tracing", ClusteredEventBusTracingTest.class, Http1xTracerTest.class, Http1xTracingTest.class, Http2TracerTest.class,
      Http2TracingTest.class);
  }
}
