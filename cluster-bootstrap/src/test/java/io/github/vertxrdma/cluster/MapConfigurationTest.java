package io.github.vertxrdma.cluster;

import static io.github.vertxrdma.cluster.Clusters.await;
import static io.github.vertxrdma.cluster.Clusters.region;
import static io.github.vertxrdma.cluster.Clusters.service;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.config.EvictionConfig;
import com.hazelcast.config.EvictionPolicy;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MapStoreConfig;
import com.hazelcast.config.MaxSizePolicy;
import com.hazelcast.config.NearCacheConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.map.MapStoreAdapter;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEvent.Type;
import io.github.vertxrdma.directory.DirectoryOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class MapConfigurationTest extends MembersFixture {
  private static final int ENTRIES = 40;

  private HazelcastInstance member(MapConfig map) {
    return member(Clusters.config(port).addMapConfig(map));
  }

  private static MapConfig lossy(String name) {
    return new MapConfig(name).setMaxIdleSeconds(1).setTimeToLiveSeconds(1).setEvictionConfig(new EvictionConfig().setSize(10)
      .setMaxSizePolicy(MaxSizePolicy.PER_NODE).setEvictionPolicy(EvictionPolicy.LRU));
  }

  @Test
  void defaultMapThatLosesEntriesDoesNotConcernTheDirectory() throws Exception {
    // The second member has the configuration of the first one only because the directory distributes it.
    DirectoryBackend a = directory(member(new MapConfig("default")), 600_000);
    HazelcastInstance second = member(lossy("default"));
    DirectoryBackend b = directory(second, 600_000);
    List<String> removed = new CopyOnWriteArrayList<>();
    b.watch(event -> {
      if (event.type() == Type.REMOVED) {
        removed.add(event.entry().key());
      }
    });
    for (int i = 0; i < ENTRIES; i++) {
      await(a.publish(service(a, "orders " + i)));
      await(a.publish(region(a, "table " + i, i)));
    }
    for (HazelcastInstance instance : instances) {
      MapConfig config = instance.getConfig().findMapConfig("vertx-rdma.directory.default");
      assertEquals(0, config.getMaxIdleSeconds());
      assertEquals(0, config.getTimeToLiveSeconds());
      assertEquals(EvictionPolicy.NONE, config.getEvictionConfig().getEvictionPolicy());
    }
    for (int i = 0; i < ENTRIES; i++) {
      await(b.awaitServices("orders " + i, Duration.ofSeconds(30)));
      await(b.awaitRegion("table " + i, Duration.ofSeconds(30)));
    }
    IMap<String, byte[]> map = second.getMap("vertx-rdma.directory.default");
    assertEquals(2 + 2 * ENTRIES, map.size());
    assertEquals(List.of(), removed);
  }

  @ParameterizedTest
  @ValueSource(strings = {"eviction", "max-idle-seconds", "near-cache", "map-store"})
  void patternThatLosesEntriesIsRefusedByName(String setting) {
    MapConfig config = new MapConfig("vertx*");
    switch (setting) {
      case "eviction" -> config.setEvictionConfig(lossy("").getEvictionConfig());
      case "max-idle-seconds" -> config.setMaxIdleSeconds(1);
      case "near-cache" -> config.setNearCacheConfig(new NearCacheConfig().setInMemoryFormat(InMemoryFormat.BINARY));
      default -> config.setMapStoreConfig(new MapStoreConfig().setEnabled(true).setImplementation(new MapStoreAdapter<>()));
    }
    String message = failure(HazelcastDirectory.open(vertx, member(config), new DirectoryOptions())).getMessage();
    assertEquals("cannot keep the directory in Hazelcast's map 'vertx-rdma.directory.default': <map name=\"vertx*\"> has " + setting
      + ", which can lose entries of living nodes or return outdated ones. Add a configuration"
      + " without it for the maps 'vertx-rdma.directory.*'",
      message);
  }

  @Test
  void moreSpecificPatternIsTheRemedy() throws Exception {
    directory(member(Clusters.config(port).addMapConfig(lossy("*")).addMapConfig(new MapConfig("vertx-rdma.directory.*"))));
  }

  @Test
  void nearCacheOfAClientIsRefusedByName() throws Exception {
    directory(member());
    HazelcastInstance client = HazelcastClient.newHazelcastClient(clientConfig().addNearCacheConfig(new NearCacheConfig("vertx-rdma*")));
    try {
      String message = failure(HazelcastDirectory.open(vertx, client, new DirectoryOptions().setNodeId("client"))).getMessage();
      assertTrue(message.contains("this instance has a near-cache for it"), message);
    } finally {
      client.shutdown();
    }
  }
}
