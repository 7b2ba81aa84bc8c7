package io.github.vertxrdma.impl.node;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.Handshake;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nonces that nodes hand out over their control connections. */
@Timeout(60)
class RequestNoncesTest {
  private static final byte[] NONE = {};
  private static final FabricAddress ADDRESS = new FabricAddress("tcp", "tcp", 0, EndpointAddress.of("here"), Device.Reach.NETWORK, "");

  private static Node node(Vertx of, Path folder) throws Exception {
    RdmaOptions options = new RdmaOptions().setFabric("memory").setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
      .setPath(folder.toString()));
    await(Rdma.create(of, options).directory());
    SharedNode shared = SharedNode.acquire((VertxInternal) of, options, null);
    try {
      return await(shared.node());
    } finally {
      await(shared.release());
    }
  }

  @Test
  void nodeProvesItselfWithItsRequestWhileTheControlConnectionIsOpen(@TempDir Path folder) throws Exception {
    Vertx servers = Vertx.vertx();
    Vertx clients = Vertx.vertx();
    try {
      Node server = node(servers, folder);
      Node client = node(clients, folder);
      NodeEntry peer = server.directory().self();
      NodeEntry self = client.directory().self();
      await(client.control.link(peer));
      until("the client has a nonce", () -> early(client, peer) != null);
      Handshake.EarlyRequest early = early(client, peer);
      byte[] greeting = new Greeting(early.proof(), self.nodeId(), self.epoch(), "", 0, "", 16 << 10, 16, 16, 1 << 20, NONE, NONE, "")
        .encode();
      byte[] request = Buffer.buffer(early.request()).appendBytes(greeting).getBytes();
      assertArrayEquals(greeting, server.handshake.at(ADDRESS).accepting(request, NONE).greeting());
      await(servers.close());
      until("the nonces are forgotten", () -> early(client, peer) == null);
    } finally {
      await(servers.close());
      await(clients.close());
    }
  }

  private static Handshake.EarlyRequest early(Node from, NodeEntry to) {
    return from.handshake.to(to, ADDRESS).connecting().early(() -> NONE);
  }
}
