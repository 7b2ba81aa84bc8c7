package io.github.vertxrdma.suites;

import io.vertx.tests.client.ClientRequestTest;
import io.vertx.tests.health.HealthServiceTest;
import io.vertx.tests.reflection.ServerReflectionTest;
import io.vertx.tests.server.ReflectionServiceV1Test;
import io.vertx.tests.server.ServerBridgeTest;
import io.vertx.tests.server.ServerRequestTest;
import io.vertx.tests.server.WorkerTest;

/** Runs Vert.x gRPC's tests; tests/README.md says why some are left out. */
class GrpcSuiteTest extends SuiteContract {
  private static final int MOST_EXCEPTIONS = 4;

  GrpcSuiteTest() {
    super("grpc", MOST_EXCEPTIONS, ClientRequestTest.class, ServerRequestTest.class, ServerBridgeTest.class, HealthServiceTest.class,
      ServerReflectionTest.class, ReflectionServiceV1Test.class, WorkerTest.class);
  }
}
