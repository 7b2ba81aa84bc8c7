package io.github.vertxrdma.examples;

import io.github.vertxrdma.Rdma;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.TrustOptions;

/** The code that docs/event-bus.adoc shows. */
final class EventBusExamples {
  private EventBusExamples() {
  }

  // tag::tls[]
  static Future<NetServer> listen(Vertx vertx, KeyCertOptions certificate) {
    return vertx.createNetServer(new NetServerOptions().setSsl(true).setKeyCertOptions(certificate))
      .connectHandler(socket -> socket.handler(socket::write))
      .listen(Rdma.address("10.0.0.1", 8443));
  }

  static NetClient client(Vertx vertx, TrustOptions authority) {
    return vertx.createNetClient(new NetClientOptions().setSsl(true).setTrustOptions(authority).setHostnameVerificationAlgorithm("HTTPS"));
  }

  /** @param client kept by the application, since Vert.x closes the connections of a client that is garbage */
  static Future<NetSocket> connect(NetClient client) {
    return client.connect(Rdma.address("10.0.0.1", 8443), "orders.example.org");
  }
  // end::tls[]

  // tag::serve[]
  static Future<String> serve(Vertx vertx) {
    vertx.eventBus().<JsonObject>consumer("orders", order -> {
      if (order.body().getInteger("amount") > 100) {
        order.fail(413, "too many");
      } else {
        order.reply("ordered");
      }
    });
    return vertx.deployVerticle("rdma:orders");
  }
  // end::serve[]

  // tag::join[]
  /** Afterwards {@code vertx.eventBus().request("orders", …)} of this Vert.x calls the service. */
  static Future<String> join(Vertx vertx) {
    return vertx.deployVerticle("rdma:orders?connect");
  }
  // end::join[]

  // tag::request[]
  static Future<String> order(Rdma rdma) {
    return rdma.connectBus("orders")
      .compose(orders -> orders.<String>request(new JsonObject().put("amount", 3)))
      .map(Message::body);
  }
  // end::request[]

  // tag::address[]
  static Future<HttpServer> listen(Vertx vertx) {
    return vertx.createHttpServer()
      .requestHandler(request -> request.response().end("hello"))
      .listen(Rdma.address("10.0.0.1", 8080));
  }

  static Future<Buffer> get(HttpClient client) {
    return client.request(new RequestOptions().setServer(Rdma.address("10.0.0.1", 8080)).setAbsoluteURI("http://10.0.0.1:8080/"))
      .compose(request -> request.send())
      .compose(HttpClientResponse::body);
  }
  // end::address[]
}
