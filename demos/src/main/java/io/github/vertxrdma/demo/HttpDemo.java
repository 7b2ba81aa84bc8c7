package io.github.vertxrdma.demo;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.commands.Demo;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A stock HTTP server and client over the fabric: what differs from TCP is the address. Beside it the same over TCP. */
final class HttpDemo {
  private HttpDemo() {
  }

  static void run(Pair pair, Demo.Http arguments) throws Exception {
    RdmaOptions options = pair.forNetworkStack();
    Vertx vertx = Vertx.vertx();
    Rdma rdma = Rdma.create(vertx, options);
    int size = arguments.size;
    if (pair.isClient()) {
      String[] ports = pair.startServer().split(" ");
      client(vertx, rdma, Integer.parseInt(ports[0]), Integer.parseInt(ports[1]), arguments.requests, size);
    } else {
      Pair.serve(server(vertx, size));
    }
    DemoNode.await(vertx.close());
  }

  /** @return the ports over the fabric and over TCP */
  private static String server(Vertx vertx, int size) throws Exception {
    Buffer page = Buffer.buffer("x".repeat(size));
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    DemoNode.await(vertx.createHttpServer().requestHandler(request -> request.response().end(page))
      .listen(Rdma.address("127.0.0.1", port)));
    int tcp = DemoNode.await(vertx.createHttpServer().requestHandler(request -> request.response().end(page)).listen(0, "127.0.0.1"))
      .actualPort();
    return port + " " + tcp;
  }

  private static void client(Vertx vertx, Rdma rdma, int port, int tcpPort, int requests, int size) throws Exception {
    Context context = vertx.getOrCreateContext();
    HttpClient http = vertx.createHttpClient();
    SocketAddress overFabric = Rdma.address("127.0.0.1", port);
    SocketAddress overTcp = SocketAddress.inetSocketAddress(tcpPort, "127.0.0.1");
    // The first round of each warms up.
    get(context, http, overFabric, requests, size);
    get(context, http, overTcp, requests, size);
    Latencies fabric = get(context, http, overFabric, requests, size);
    String over = DemoNode.await(rdma.statistics()).devices().stream().filter(device -> device.traffic().messagesSent() > 0)
      .map(device -> device.device()).findFirst().orElse("TCP");
    Latencies tcp = get(context, http, overTcp, requests, size);
    fabric.print(requests + " GETs of " + size + " bytes, in a row", over, tcp, "TCP");
    System.out.println("done: every page was whole");
  }

  private static Latencies get(Context context, HttpClient http, SocketAddress server, int requests, int size) throws Exception {
    RequestOptions options = new RequestOptions().setMethod(HttpMethod.GET).setServer(server).setAbsoluteURI("http://demo.example/page");
    return Latencies.of(context, requests, i -> http.request(options).compose(request -> request.send()).compose(HttpClientResponse::body)
      .compose(page -> page.length() == size ? Future.succeededFuture()
        : Future.failedFuture(new IOException("a page of " + page.length() + " bytes instead of " + size))));
  }
}
