package io.github.vertxrdma.functions.examples;

// tag::all[]
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.functions.FunctionClient;
import io.github.vertxrdma.functions.FunctionOptions;
import io.github.vertxrdma.functions.FunctionServer;
import io.github.vertxrdma.functions.LeaseOptions;
import io.github.vertxrdma.functions.RemoteFunction;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;

/** Runs a function server if there is an argument, otherwise a client that leases one of its workers and calls a function there. */
public class Shouts {
  public static void main(String... arguments) {
    Vertx vertx = Vertx.vertx();
    Rdma rdma = Rdma.create(vertx);
    if (arguments.length > 0) {
      serve(rdma).onComplete(server -> System.out.println("offers workers"), Throwable::printStackTrace);
    } else {
      shout(rdma, "hello").onComplete(System.out::println, Throwable::printStackTrace).eventually(vertx::close);
    }
  }

  static Future<FunctionServer> serve(Rdma rdma) {
    return FunctionServer.create(rdma)
      .register("shout", new FunctionOptions(), RemoteFunction.of(text -> Buffer.buffer(text.toString().toUpperCase())))
      .listen();
  }

  static Future<Buffer> shout(Rdma rdma, String text) {
    FunctionClient client = FunctionClient.create(rdma);
    return client.lease(new LeaseOptions())
      .compose(leases -> client.invoke("shout", Buffer.buffer(text)))
      .eventually(() -> client.close());
  }
}
// end::all[]
