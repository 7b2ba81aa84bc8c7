package io.github.vertxrdma.examples;

// tag::all[]
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaServer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;

/** Without an argument a client, which asks the server for a price. */
public class Shop {
  public static void main(String... arguments) {
    Vertx vertx = Vertx.vertx();
    Rdma rdma = Rdma.create(vertx);
    if (arguments.length > 0) {
      serve(rdma).onComplete(server -> System.out.println("serves"), Throwable::printStackTrace);
    } else {
      ask(rdma, "apples").onComplete(System.out::println, Throwable::printStackTrace).eventually(vertx::close);
    }
  }

  static Future<RdmaServer> serve(Rdma rdma) {
    return rdma.createServer()
      .connectHandler(connection -> connection.requestHandler(article -> Future.succeededFuture(Buffer.buffer(article + " cost 3.50"))))
      .listen("shop");
  }

  static Future<Buffer> ask(Rdma rdma, String article) {
    return rdma.connect("shop")
      .compose(shop -> shop.request(Buffer.buffer(article)).eventually(() -> shop.close()));
  }
}
// end::all[]
