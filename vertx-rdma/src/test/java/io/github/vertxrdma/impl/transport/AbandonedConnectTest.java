package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkWorld;
import io.github.vertxrdma.impl.node.Connector;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.lang.ref.Reference;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class AbandonedConnectTest {
  @TempDir
  Path folder;

  /** Opens the link of a stream as a client does, without its confirmation. */
  private static Link connect(TransportNode node, Route.Fabric route, byte[] data) throws Exception {
    return await(node.node().compose(n -> new Connector(n, node.vertx.createEventLoopContext(), "the server",
      Greeting.wanting(route.service()), data, null).peer(route.peer(), route.entry().addresses()).connect((link, choice) -> {
        link.handler(new LinkWorld.Discard());
        return link;
      })));
  }

  @Test
  void serverAcceptsOnlyTheConnectionThatItsConnectorConfirms() throws Exception {
    RdmaOptions options = StackSettings.options(folder, "nio");
    List<String> events = new CopyOnWriteArrayList<>();
    try (StackSettings settings = new StackSettings(folder, options)) {
      System.setProperty(TransportOptions.STREAMS, "all");
      Vertx serving = Vertx.vertx();
      Vertx client = Vertx.vertx();
      try {
        NetServer server = await(serving.createNetServer().connectHandler(socket -> {
          events.add("accepted");
          socket.exceptionHandler(cause -> events.add("exception " + cause)).handler(socket::write);
        }).listen(0, "127.0.0.1"));
        StackSettings.awaitServer(client, options, server.actualPort());
        TransportNode node = new TransportNode((VertxInternal) client, new TransportOptions(options, true, true), new EventBusOptions(),
          NioSocketChannel::new);
        FabricRoutes routes = await(node.routes());
        FabricRoutes.Target target = new FabricRoutes.Target("127.0.0.1", InetAddress.ofLiteral("127.0.0.1"), server.actualPort(), false,
          System.nanoTime());
        until("the server is in the directory", () -> routes.route(target) instanceof Route.Fabric);
        Route.Fabric route = (Route.Fabric) routes.route(target);
        Link abandoned = connect(node, route, LinkStream.promiseToConfirm());
        abandoned.loop().eventLoop().execute(() -> abandoned.fail(new RdmaException(RdmaException.Reason.CLOSED, "it gave up")));

        NetClient net = client.createNetClient();
        NetSocket socket = await(net.connect(server.actualPort(), "127.0.0.1"));
        Promise<Buffer> answer = Promise.promise();
        socket.handler(answer::tryComplete);
        await(socket.write("hello"));
        assertEquals("hello", await(answer.future()).toString());
        assertEquals(List.of("accepted"), events);

        connect(node, route, new byte[0]);
        until("the server accepts it", () -> events.size() == 2);
        // A client without references closes its connections.
        Reference.reachabilityFence(net);
      } finally {
        await(client.close());
        await(serving.close());
      }
    }
  }
}
