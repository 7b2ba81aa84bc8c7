package io.github.vertxrdma.cluster;

import static io.github.vertxrdma.cluster.Clusters.await;
import static io.github.vertxrdma.cluster.Clusters.region;
import static io.github.vertxrdma.cluster.Clusters.service;
import static io.github.vertxrdma.cluster.Clusters.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.core.HazelcastInstance;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ClientDirectoryTest extends MembersFixture {
  @Test
  void clientReadsAndPublishesEntries() throws Exception {
    DirectoryBackend a = directory(member());
    await(a.publish(service(a, "orders")));
    HazelcastInstance client = HazelcastClient.newHazelcastClient(clientConfig());
    try {
      DirectoryBackend c = await(HazelcastDirectory.open(vertx, client, new DirectoryOptions().setNodeId("client")));
      assertEquals(1, c.services("orders").size());
      await(a.publish(region(a, "table", 1)));
      await(c.awaitRegion("table", Duration.ofSeconds(30)));
      await(c.publish(c.self()));
      await(c.publish(service(c, "from-client")));
      assertEquals("client", await(a.awaitServices("from-client", Duration.ofSeconds(30))).getFirst().nodeId());
      client.getLifecycleService().terminate();
      long millis = until("the client is gone", () -> a.node("client").isEmpty() && a.services("from-client").isEmpty());
      System.out.println("hazelcast directory: a lost client vanished after " + millis + " ms");
      await(c.close());
    } finally {
      client.shutdown();
    }
  }

  @Test
  void anUnclusteredVertxJoinsAsAClient() throws Exception {
    DirectoryBackend a = directory(member());
    await(a.publish(service(a, "orders")));
    DirectoryOptions options = new DirectoryOptions().setType(HazelcastDirectory.TYPE);
    assertTrue(failure(DirectoryBackend.open(vertx, options)).getMessage().contains("'members'"));
    options.setSettings(new JsonObject().put("cluster", "test-" + port).put("members", new JsonArray().add("127.0.0.1:" + port)));
    DirectoryBackend c = await(DirectoryBackend.open(vertx, new DirectoryOptions(options.toJson())));
    assertEquals(a.nodeId(), c.services("orders").getFirst().nodeId());
    await(c.publish(c.self()));
    await(a.awaitNode(c.nodeId(), Duration.ofSeconds(30)));
    await(c.close());
    until("the client is gone", () -> instances.getFirst().getClientService().getConnectedClients().isEmpty());
    until("its node is gone", () -> a.nodes().stream().map(NodeEntry::nodeId).toList().equals(List.of(a.nodeId())));
  }

  @Test
  @Tag("long")
  void clientReconnectsToItsCluster() throws Exception {
    member();
    DirectoryBackend client = await(DirectoryBackend.open(vertx, new DirectoryOptions().setType(HazelcastDirectory.TYPE).setSettings(
      new JsonObject().put("cluster", "test-" + port).put("members", new JsonArray().add("127.0.0.1:" + port)))));
    await(client.publish(client.self()));
    instances.getFirst().getLifecycleService().terminate();
    long end = System.nanoTime() + 20_000_000_000L;
    until("longer than a first connection may take", () -> System.nanoTime() > end);
    DirectoryBackend a = directory(member());
    await(client.awaitNode(a.nodeId(), Duration.ofSeconds(60)));
    await(a.awaitNode(client.nodeId(), Duration.ofSeconds(60)));
  }
}
