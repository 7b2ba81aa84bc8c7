package io.github.vertxrdma.cluster;

import static io.github.vertxrdma.cluster.Clusters.await;
import static io.github.vertxrdma.cluster.Clusters.until;
import static org.junit.jupiter.api.Assertions.*;

import com.hazelcast.map.IMap;
import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.SealedKey;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A member of the Hazelcast cluster that does not know the secret forges the entries of another node. */
@Timeout(300)
class ForgedEntriesTest {
  private static final String OTHER_SECRET = "the secret of the forger is long enough";
  /** Length of what precedes the entry in a value of the map. */
  private static final int HEADER = 29;

  @TempDir
  Path temp;
  private final List<Vertx> open = new ArrayList<>();
  private final List<String> deceived = new CopyOnWriteArrayList<>();
  private Rdma client;
  private RdmaDirectory clients;
  private RdmaConnection connection;
  private RemoteRegion region;
  private IMap<String, byte[]> map;
  private NodeEntry owner;
  /** Directory of the forger's own node, which has the owner's id. */
  private RdmaDirectory forged;

  private Rdma node(Vertx vertx, String secret, DirectoryOptions directory) throws Exception {
    open.add(vertx);
    Path file = Files.writeString(temp.resolve("secret" + open.size()), secret);
    return Rdma.create(vertx, new RdmaOptions().setSecretFile(file.toString()).setFabric("nio").setDirectory(directory));
  }

  @BeforeEach
  void start() throws Exception {
    int port = Clusters.freePorts();
    // The owner stores its entries again with each renewal of its lease.
    DirectoryOptions directory = new DirectoryOptions().setLeaseTime(Duration.ofMinutes(10));
    Rdma serving = node(ClusteredVertxTest.clustered(port), "the secret of the others is long enough", directory);
    client = node(ClusteredVertxTest.clustered(port), "the secret of the others is long enough", directory);
    await(serving.createServer().connectHandler(each -> each.handler(message -> each.write(Buffer.buffer("owner: " + message))))
      .listen("orders"));
    MemoryRegion table = await(serving.createRegion(new RegionOptions().setName("table").setSize(4096).setAccess(RegionAccess.READ)));
    table.segment().copyFrom(MemorySegment.ofArray("shared".getBytes()));
    clients = await(client.directory());
    owner = await(clients.awaitNode(await(serving.directory()).nodeId(), Duration.ofSeconds(30)));
    Rdma forging = node(Vertx.vertx(), OTHER_SECRET, new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
      .setPath(temp.resolve("directory").toString()).setNodeId(owner.nodeId()));
    await(forging.createServer().connectHandler(each -> {
      deceived.add("connection");
      each.handler(message -> each.write(Buffer.buffer("forger: " + message)));
    }).listen("orders"));
    forged = await(forging.directory());
    connection = await(client.connect("orders", new RdmaConnectOptions().setLookupTimeout(Duration.ofSeconds(30))));
    region = await(client.openRegion("table"));
    map = ((HazelcastClusterManager) ((VertxInternal) open.get(1)).clusterManager()).getHazelcastInstance().getMap(MembersFixture.MAP);
  }

  @AfterEach
  void stop() throws Exception {
    for (Vertx each : open) {
      await(each.close());
    }
  }

  private void forge(DirectoryEntry entry) {
    byte[] bytes = Arrays.copyOf(map.get(entry.key()), HEADER);
    map.set(entry.key(), Buffer.buffer(bytes).appendBuffer(entry.toBuffer()).getBytes());
  }

  private static String answer(RdmaConnection by) throws Exception {
    Promise<String> answer = Promise.promise();
    by.handler(message -> answer.tryComplete(message.toString()));
    await(by.write(Buffer.buffer("hello")));
    return await(answer.future());
  }

  private void assertHonestPairGoesOn() throws Exception {
    assertEquals("owner: hello", answer(connection));
    assertEquals("shared", await(region.read(0, 6)).toString());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void forgedAddressesLeadToNoOtherPeer(boolean sameEpoch) throws Exception {
    ServiceEntry orders = forged.services("orders").getFirst();
    NodeEntry node = forged.node(owner.nodeId()).orElseThrow();
    ServiceEntry known = clients.services("orders").getFirst();
    forge(new ServiceEntry("orders", owner.nodeId(), sameEpoch ? owner.epoch() : node.epoch(), known.instance(), orders.addresses(),
      orders.metadata()));
    forge((sameEpoch ? node.withEpoch(owner.epoch()) : node).withSecretId(owner.secretId()));
    until("the client sees the forged addresses",
      () -> clients.services("orders").stream().anyMatch(each -> each.addresses().equals(orders.addresses()))
        && clients.node(owner.nodeId()).stream().anyMatch(each -> each.controlPort() == node.controlPort()));
    try {
      assertEquals("owner: hello", answer(await(client.connect("orders", new RdmaConnectOptions().setReconnectAttempts(0)))));
    } catch (ExecutionException e) {
      assertInstanceOf(RdmaException.class, e.getCause());
    }
    assertEquals(List.of(), deceived);
    assertHonestPairGoesOn();
  }

  /** KeySealTest reads and makes keys with another secret. */
  @Test
  void forgedKeysOpenNothing() throws Exception {
    RegionEntry table = clients.region("table").orElseThrow();
    assertTrue(table.keys().stream().anyMatch(key -> key.bytes().length > 0), "the directory has encrypted keys");
    forge(table.withKeys(table.generation(), table.keys().stream().map(ForgedEntriesTest::altered).toList()));
    until("the client sees the forged keys", () -> !clients.region("table").orElseThrow().keys().equals(table.keys()));
    Throwable cause = assertThrows(ExecutionException.class, () -> await(client.openRegion("table"))).getCause();
    assertEquals(RdmaException.Reason.NOT_AUTHENTIC, assertInstanceOf(RdmaException.class, cause).reason());
    assertHonestPairGoesOn();
    forge(table);
    until("the client sees the keys again", () -> clients.region("table").orElseThrow().keys().equals(table.keys()));
    assertEquals("shared", await(await(client.openRegion("table")).read(0, 6)).toString());
  }

  private static SealedKey altered(SealedKey key) {
    byte[] bytes = key.bytes().clone();
    if (bytes.length > 0) {
      bytes[bytes.length - 1] ^= 1;
    }
    return new SealedKey(key.fabric(), bytes);
  }
}
