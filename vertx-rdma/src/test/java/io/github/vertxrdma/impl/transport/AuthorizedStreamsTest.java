package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaAuthorizer;
import io.github.vertxrdma.RdmaOptions;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class AuthorizedStreamsTest {
  @TempDir
  Path folder;

  public static final class Careful implements RdmaAuthorizer {
    static volatile int refused;

    @Override
    public boolean mayConnect(String nodeId, String service) {
      return !service.endsWith(":" + refused);
    }
  }

  @Test
  void aNodeThatMayNotConnectDoesNot() throws Exception {
    RdmaOptions options = StackSettings.options(folder, "nio").setAuthorizerClass(Careful.class.getName());
    try (StackSettings settings = new StackSettings(folder, options)) {
      System.setProperty(TransportOptions.STREAMS, "all");
      Vertx server = Vertx.vertx();
      Vertx client = Vertx.vertx();
      try {
        NetServer[] servers = new NetServer[2];
        for (int i = 0; i < 2; i++) {
          servers[i] = await(server.createNetServer().connectHandler(socket -> socket.handler(socket::write)).listen(0, "127.0.0.1"));
          StackSettings.awaitServer(client, options, servers[i].actualPort());
        }
        Careful.refused = servers[0].actualPort();
        NetClient sockets = client.createNetClient();
        Throwable cause = assertThrows(ExecutionException.class, () -> await(sockets.connect(servers[0].actualPort(), "127.0.0.1")))
          .getCause();
        assertTrue(cause.getMessage().contains("may not connect to 'tcp/127.0.0.1:" + servers[0].actualPort() + "'"), cause::toString);
        await(sockets.connect(servers[1].actualPort(), "127.0.0.1"));
      } finally {
        await(client.close());
        await(server.close());
      }
    }
  }
}
