package io.github.vertxrdma.examples;

import static io.github.vertxrdma.RegionAccess.ATOMIC;
import static io.github.vertxrdma.RegionAccess.READ;
import static io.github.vertxrdma.RegionAccess.WRITE;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RdmaServer;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;

/** The code of docs/getting-started.adoc; what stands between the tags is quoted there word by word. */
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

  // tag::owner[]
  /** A table of a mebibyte: a counter in its first word, and behind it a row of text that each visitor may overwrite. */
  static Future<MemoryRegion> share(Rdma rdma, Handler<String> rows) {
    return rdma.share(new RegionOptions().setName("table").setSize(1 << 20).setAccess(READ, WRITE, ATOMIC))
      .onSuccess(table -> table.notificationHandler(written ->
        rows.handle(table.segment().getString(written.offset()) + " was written by visitor " + written.tag())));
  }
  // end::owner[]

  // tag::visitor[]
  static Future<String> visit(Rdma rdma) {
    return rdma.open("table").compose(table -> table.fetchAndAdd(0, 1)
      .compose(visitor -> table.writeNotify(8, Buffer.buffer("a row\0"), visitor))
      .compose(written -> table.read(8, 5))
      .map(Buffer::toString)
      .eventually(() -> table.close()));
  }
  // end::visitor[]
}
