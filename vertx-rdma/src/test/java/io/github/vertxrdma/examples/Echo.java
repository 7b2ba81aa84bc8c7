package io.github.vertxrdma.examples;

// tag::all[]
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaServer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;

public class Echo {
  public static void main(String... arguments) {
    Vertx vertx = Vertx.vertx();
    // Processes of one application on one host find each other; a clustered Vert.x takes its cluster.
    Rdma rdma = Rdma.create(vertx);
    if (arguments.length > 0) {
      serve(rdma).onSuccess(server -> System.out.println("serves"));
    } else {
      ask(rdma).onComplete(System.out::println, Throwable::printStackTrace).eventually(vertx::close);
    }
  }

  static Future<RdmaServer> serve(Rdma rdma) {
    return rdma.createServer()
      .connectHandler(connection -> connection.handler(message -> connection.write(Buffer.buffer("you said ").appendBuffer(message))))
      .listen("echo");
  }

  static Future<String> ask(Rdma rdma) {
    return rdma.connect("echo").compose(connection -> {
      Future<String> answer = Future
        .future(promise -> connection.handler(message -> promise.tryComplete(message + ", over " + connection.fabric())));
      return connection.write(Buffer.buffer("hello"))
        .compose(written -> answer)
        .eventually(() -> connection.close());
    });
  }
}
// end::all[]
