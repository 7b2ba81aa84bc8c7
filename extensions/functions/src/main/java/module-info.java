/** Remote functions. */
module io.github.vertxrdma.functions {
  requires transitive io.github.vertxrdma;
  requires transitive io.vertx.core;
  requires static io.vertx.codegen.api;
  requires static io.vertx.codegen.json;
  requires static com.google.protobuf;
  requires io.vertx.core.logging;
  requires io.netty.transport;
  requires java.management;

  exports io.github.vertxrdma.functions;

  uses io.github.vertxrdma.functions.FunctionProvider;
}
