/** Vert.x gRPC over RDMA connections, without HTTP. */
module io.github.vertxrdma.grpc {
  requires transitive io.github.vertxrdma;
  requires transitive io.vertx.core;
  requires transitive io.vertx.grpc.client;
  requires transitive io.vertx.grpc.common;
  requires transitive io.vertx.grpc.server;
  requires static io.vertx.codegen.api;
  requires static io.vertx.codegen.json;
  requires io.vertx.core.logging;
  requires io.netty.buffer;
  requires io.netty.common;
  requires com.google.protobuf;

  exports io.github.vertxrdma.grpc;

  provides io.vertx.core.spi.VertxServiceProvider with io.github.vertxrdma.grpc.impl.CallLocalProvider;
}
