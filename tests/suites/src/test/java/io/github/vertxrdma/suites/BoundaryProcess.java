package io.github.vertxrdma.suites;

import static io.github.vertxrdma.suites.TestCluster.await;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.impl.node.ConnectionPrefix;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.node.SharedNode;
import io.github.vertxrdma.impl.transport.TransportOptions;
import io.netty.channel.EventLoop;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.SocketAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;

/**
 * A process whose servers and clients use fabrics. Arguments: {@code serve} or {@code ask}, then system properties as {@code name=value}.
 * Input lines of the second: {@code get HOST PORT}, {@code rdma HOST PORT}, {@code service NAME}, {@code open}, which connects to the
 * silent server and prints its own port, and {@code take PORT}, which asks for a stream for the connection from that port.
 */
final class BoundaryProcess {
  static final int LOOPBACK = 8080;
  static final int WILDCARD = 8081;
  static final int OF_FABRIC = 8082;
  static final int LINK_LOCAL = 8083;
  static final int SILENT = 8084;
  static final String LINK_LOCAL_HOST = "169.254.7.7";

  private BoundaryProcess() {
  }

  public static void main(String[] args) throws Exception {
    Arrays.stream(args).skip(1).map(each -> each.split("=", 2)).forEach(each -> System.setProperty(each[0], each[1]));
    Vertx vertx = Vertx.vertx();
    Rdma rdma = Rdma.create(vertx, new RdmaOptions(TransportOptions.ofNodes(vertx)));
    if (args[0].equals("serve")) {
      serve(vertx, SocketAddress.inetSocketAddress(LOOPBACK, "127.0.0.1"));
      serve(vertx, SocketAddress.inetSocketAddress(WILDCARD, "0.0.0.0"));
      serve(vertx, Rdma.address("127.0.0.1", OF_FABRIC));
      serve(vertx, SocketAddress.inetSocketAddress(LINK_LOCAL, LINK_LOCAL_HOST));
      await(vertx.createNetServer().connectHandler(socket -> {}).listen(SILENT, "127.0.0.1"));
    } else {
      await(await(rdma.directory()).awaitServices("tcp/127.0.0.1:" + SILENT, Duration.ofSeconds(30)));
    }
    System.out.println("ready");
    NetClient client = vertx.createNetClient(new NetClientOptions().setConnectTimeout(3_000));
    for (String line = IO.readln(); line != null; line = IO.readln()) {
      String[] words = line.split(" ");
      System.out.println("got " + switch (words[0]) {
        case "get" -> greeting(vertx, client, SocketAddress.inetSocketAddress(Integer.parseInt(words[2]), words[1]));
        case "rdma" -> greeting(vertx, client, Rdma.address(words[1], Integer.parseInt(words[2])));
        case "open" -> await(client.connect(SILENT, "127.0.0.1")).localAddress().port();
        case "take" -> taken(vertx, rdma, Integer.parseInt(words[1]), SILENT);
        default -> service(rdma, words[1]);
      });
    }
    Runtime.getRuntime().halt(0);
  }

  private static void serve(Vertx vertx, SocketAddress at) throws Exception {
    await(vertx.createNetServer().connectHandler(socket -> socket.write("from " + socket.remoteAddress().hostAddress())).listen(at));
  }

  private static String greeting(Vertx vertx, NetClient client, SocketAddress server) throws Exception {
    Promise<String> greeting = Promise.promise();
    // The handler is set before bytes can arrive.
    vertx.runOnContext(v -> client.connect(server).onComplete(socket -> socket.handler(bytes -> greeting.tryComplete(bytes.toString()))
      .closeHandler(closed -> greeting.tryComplete("closed")), cause -> greeting.tryComplete("failed: " + cause.getMessage())));
    return await(greeting.future());
  }

  /** Asks for a stream for the connection from a port. @return {@code taken}, {@code not yet} or {@code failed: CAUSE} */
  static String taken(Vertx vertx, Rdma rdma, int port, int silent) throws Exception {
    RdmaDirectory directory = await(rdma.directory());
    NodeEntry server = directory.node(directory.services("tcp/127.0.0.1:" + silent).getFirst().nodeId()).orElseThrow();
    Node node = await(SharedNode.acquire((VertxInternal) vertx, new RdmaOptions(TransportOptions.ofNodes(vertx)), null).node());
    EventLoop loop = ((VertxInternal) vertx).getOrCreateContext().nettyEventLoop();
    Promise<String> outcome = Promise.promise();
    loop.execute(() -> node.connections().ask(server, new InetSocketAddress("127.0.0.1", port), new InetSocketAddress("127.0.0.1", silent),
      new ConnectionPrefix(), loop, 30_000).onComplete(offer -> outcome.complete(offer == null ? "not yet" : "taken"),
        cause -> outcome.complete("failed: " + cause.getMessage())));
    return await(outcome.future());
  }

  private static String service(Rdma rdma, String name) throws Exception {
    try {
      await(rdma.connect(name, new RdmaConnectOptions().setLookupTimeout(Duration.ofSeconds(1))));
      return "connected";
    } catch (ExecutionException e) {
      return "failed: " + e.getCause().getMessage();
    }
  }
}
