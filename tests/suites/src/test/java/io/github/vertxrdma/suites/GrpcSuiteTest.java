package io.github.vertxrdma.suites;

import io.vertx.tests.client.ClientRequestTest;
import io.vertx.tests.health.HealthServiceTest;
import io.vertx.tests.reflection.ServerReflectionTest;
import io.vertx.tests.server.ReflectionServiceV1Test;
import io.vertx.tests.server.ServerBridgeTest;
import io.vertx.tests.server.ServerRequestTest;
import io.vertx.tests.server.WorkerTest;

/**
 * Tests of clients and servers of Vert.x gRPC, which call grpc-java's, of its bridge to services of grpc-java, of health, reflection and
 * workers, with all of them over the fabric. tests/README.md says why others are left out.
 */
class GrpcSuiteTest extends SuiteContract {
  /** One test in four may want what only HTTP/2, or its bridge, has. */
  private static final int MOST_EXCEPTIONS = 4;

  GrpcSuiteTest() {
    super("grpc", MOST_EXCEPTIONS, ClientRequestTest.class, ServerRequestTest.class, ServerBridgeTest.class, HealthServiceTest.class,
      ServerReflectionTest.class, ReflectionServiceV1Test.class, WorkerTest.class);
  }
}
