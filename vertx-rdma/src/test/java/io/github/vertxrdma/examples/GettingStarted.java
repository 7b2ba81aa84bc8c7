package io.github.vertxrdma.examples;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RdmaServer;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;

/** The code of docs/getting-started.md; what stands between the tags is quoted there word by word. */
final class GettingStarted {
  private GettingStarted() {
  }

  // tag::options[]
  /** Processes of one user on one host find each other without a server; a clustered Vert.x takes its cluster instead. */
  static RdmaOptions options() {
    return new RdmaOptions().setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST));
  }
  // end::options[]

  // tag::server[]
  static Future<RdmaServer> serve(Vertx vertx, RdmaOptions options) {
    return Rdma.create(vertx, options).createServer()
      .connectHandler(connection -> connection.handler(message -> connection.write(Buffer.buffer("you said ").appendBuffer(message))))
      .listen("echo");
  }
  // end::server[]

  // tag::client[]
  static Future<String> ask(Vertx vertx, RdmaOptions options) {
    return Rdma.create(vertx, options).connect("echo").compose(connection -> {
      Future<String> answer = Future.future(promise ->
        connection.handler(message -> promise.tryComplete(message + ", over " + connection.fabric())));
      return connection.write(Buffer.buffer("hello"))
        .compose(written -> answer)
        .eventually(() -> connection.close());
    });
  }
  // end::client[]
}
