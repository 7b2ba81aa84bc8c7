package io.github.vertxrdma.suites;

import io.vertx.tests.client.ClientRequestTest;
import io.vertx.tests.health.HealthServiceTest;
import io.vertx.tests.server.ServerBridgeTest;
import io.vertx.tests.server.ServerRequestTest;

/**
 * Tests of clients and servers of Vert.x gRPC, which call grpc-java's, and of its bridge to services of grpc-java, with all of them over the
 * fabric. Those that talk HTTP themselves are left out: of the message encoding, of protocols, of transcoding and of gRPC-Web; so are those of
 * the bridge to stubs of grpc-java, which wants calls of HTTP/2 where there is a deadline.
 */
class GrpcSuiteTest extends SuiteContract {
  /** One test in five may want what only HTTP/2, or its bridge, has. */
  private static final int MOST_EXCEPTIONS = 5;

  GrpcSuiteTest() {
    super("grpc", MOST_EXCEPTIONS, ClientRequestTest.class, ServerRequestTest.class, ServerBridgeTest.class, HealthServiceTest.class);
  }
}
