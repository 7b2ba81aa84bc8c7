package io.github.vertxrdma.impl.node;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.Handshake;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.github.vertxrdma.impl.link.LinkIdentity;
import io.github.vertxrdma.impl.link.LinkWorld;
import io.github.vertxrdma.impl.peers.ClusterSecret;
import io.github.vertxrdma.impl.peers.SecretHandshake;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
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

  /** Connects without a proof in the request, as over fabrics whose private data is short. */
  private record Short(Handshake handshake) implements Handshake {
    @Override
    public Connecting connecting() {
      Connecting connecting = handshake.connecting();
      return new Connecting() {
        @Override
        public byte[] request() {
          return connecting.request();
        }

        @Override
        public byte[] confirm(byte[] accept, byte[] channel) {
          return connecting.confirm(accept, channel);
        }
      };
    }

    @Override
    public Accepting accepting(byte[] request, byte[] channel) {
      return handshake.accepting(request, channel);
    }
  }

  private static Future<Link> connect(Node from, Supplier<NodeEntry> as, Handshake handshake, FabricAddress to) {
    return from.loops.loop(from.context, from.devices.ranked().getFirst()).compose(found -> {
      DeviceLoop loop = found.loop;
      LinkIdentity identity = new LinkIdentity(as, new Short(handshake), from.peers);
      return LoopCall.on(loop.eventLoop(), () -> LinkConnector.connect(loop, to.address(), identity, "regions", NONE, 1_500, link -> {
        link.handler(new LinkWorld.Discard());
        return link;
      }));
    });
  }

  @Test
  void idOfConnectedNodeIsRefusedToOtherProcesses(@TempDir Path folder) throws Exception {
    Vertx servers = Vertx.vertx();
    Vertx clients = Vertx.vertx();
    Vertx thieves = Vertx.vertx();
    try {
      Node server = node(servers, folder);
      Node client = node(clients, folder);
      Node thief = node(thieves, folder);
      await(server.regions().share((ContextInternal) servers.getOrCreateContext(), new RegionOptions().setName("a").setSize(64), null));
      NodeEntry owner = server.directory().self();
      FabricAddress address = owner.addresses().getFirst();
      NodeEntry self = client.directory().self();
      AtomicReference<NodeEntry> claimed = new AtomicReference<>();
      SecretHandshake stolen = new SecretHandshake(ClusterSecret.load(null), claimed::get).attach(thief.control);
      await(thief.control.link(owner));
      await(client.control.link(owner));
      until("the client has a number", () -> early(client, owner) != null);
      for (NodeEntry id : List.of(self, self.withEpoch(self.epoch() + 1), owner)) {
        claimed.set(id);
        until("the server knows that the node has its number", () -> await(connect(thief, claimed::get, stolen, address), null) == null);
        assertRefused(id, connect(thief, claimed::get, stolen, address));
        assertRefused(id, connect(thief, claimed::get, stolen.to(owner, address), address));
      }
      await(connect(client, client.directory()::self, client.handshake.to(owner, address), address));
      await(connect(client, client.directory()::self, client.handshake, address));
      await(connect(server, server.directory()::self, server.handshake.to(owner, address), address));
      await(clients.close());
      claimed.set(self);
      until("the id is free", () -> await(connect(thief, claimed::get, stolen, address), null) != null);
    } finally {
      await(servers.close());
      await(clients.close());
      await(thieves.close());
    }
  }

  private static void assertRefused(NodeEntry claimed, Future<Link> connecting) {
    RdmaException refused = assertInstanceOf(RdmaException.class, assertThrows(Exception.class, () -> await(connecting)).getCause());
    assertEquals(Reason.TIMEOUT, refused.reason(), refused::toString);
    assertTrue(refused.getMessage().contains("node " + claimed.nodeId() + " is connected, and this peer has not proved that it is"),
      refused.getMessage());
  }

  private static Handshake.EarlyRequest early(Node from, NodeEntry to) {
    return from.handshake.to(to, ADDRESS).connecting().early(() -> NONE);
  }
}
