package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.awaitOnContext;
import static io.github.vertxrdma.impl.support.Await.until;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.netty.channel.Channel;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A process in a network namespace of its own with a server of the fabric on the wildcard address, foreign servers, and a client.
 * Arguments: folder, fabric or "-", then addresses at which the client waits for the server. Input lines: "get ADDRESS" and "run COMMAND".
 */
final class PathProcess {
  static final int PORT = 8080;
  static final int FOREIGN_PORT = 9090;
  private static final String OURS = "from ours";
  static final String SPECIFIC = "10.0.0.10";

  private PathProcess() {
  }

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    RdmaOptions options = StackSettings.options(folder, args[1].equals("-") ? null : args[1])
      .setSettings(new JsonObject().put("runtime", folder.resolve("run").toString()));
    new StackSettings(folder, options);
    System.setProperty(TransportOptions.STREAMS, "all");
    new ForeignServer("0.0.0.0", FOREIGN_PORT, ForeignServer.Protocol.ONE_SHOT, null);
    new ForeignServer(SPECIFIC, PORT, ForeignServer.Protocol.ONE_SHOT, null);
    // NIO ignores setReusePort.
    Vertx server = Vertx.vertx(new VertxOptions().setPreferNativeTransport(true));
    await(server.createNetServer(new NetServerOptions().setReusePort(true)).connectHandler(socket -> {
      socket.handler(socket::write);
      socket.write(OURS);
    })
      .listen(PORT, "0.0.0.0"));
    Vertx client = Vertx.vertx();
    RdmaDirectory directory = await(Rdma.create(client, options).directory());
    for (int i = 2; i < args.length; i++) {
      await(directory.awaitServices(RouteNames.of(InetAddress.ofLiteral(args[i]), PORT), Duration.ofSeconds(20)));
    }
    // Shorter than the wait for a greeting, so that the reason is shown.
    NetClient net = client.createNetClient(new NetClientOptions().setConnectTimeout(15_000));
    System.out.println("names " + RouteNames.ofBound(new InetSocketAddress(PORT)));
    for (String line = IO.readln(); line != null; line = IO.readln()) {
      String argument = line.substring(line.indexOf(' ') + 1);
      System.out.println(line.startsWith("get ") ? "got " + get(client, net, argument) : "ran " + run(argument));
    }
    System.exit(0);
  }

  /** @return the greeting of the server, and the way of the connection */
  private static String get(Vertx client, NetClient net, String host) {
    Promise<String> greeting = Promise.promise();
    try {
      var socket = awaitOnContext(client,
        () -> net.connect(PORT, host).map(made -> made.handler(bytes -> greeting.tryComplete(bytes.toString()))));
      String got = await(greeting.future());
      long fallbacks = TransportCounters.PROCESS.fallbacks();
      until("the connection has moved, or cannot", () -> {
        socket.write("more than the 32 bytes by which a connection is recognized");
        return !got.equals(OURS) || isOverFabric(socket) || TransportCounters.PROCESS.fallbacks() > fallbacks;
      });
      boolean fabric = isOverFabric(socket);
      await(socket.close());
      return got + (fabric ? " over the fabric" : " over TCP");
    } catch (Exception | AssertionError e) {
      return "failed: " + e.getMessage();
    }
  }

  private static boolean isOverFabric(NetSocket socket) {
    Channel channel = ((NetSocketInternal) socket).channelHandlerContext().channel();
    MoveHandler handler = channel.pipeline().get(MoveHandler.class);
    return handler != null && channel.eventLoop().submit(handler::hasMoved).syncUninterruptibly().getNow();
  }

  private static int run(String command) throws IOException, InterruptedException {
    return new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
      .waitFor();
  }
}
