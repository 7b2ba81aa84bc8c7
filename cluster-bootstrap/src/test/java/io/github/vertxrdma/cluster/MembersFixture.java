package io.github.vertxrdma.cluster;

import static io.github.vertxrdma.cluster.Clusters.await;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.listener.EntryUpdatedListener;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

abstract class MembersFixture {
  static final String MAP = "vertx-rdma.directory.default";

  final Vertx vertx = Vertx.vertx();
  final List<HazelcastInstance> instances = new ArrayList<>();
  int port;

  @BeforeEach
  void ports() throws Exception {
    port = Clusters.freePorts();
  }

  @AfterEach
  void shutDown() throws Exception {
    await(vertx.close());
    instances.forEach(instance -> instance.getLifecycleService().terminate());
  }

  HazelcastInstance member() {
    return member(Clusters.config(port));
  }

  HazelcastInstance member(Config config) {
    HazelcastInstance instance = Hazelcast.newHazelcastInstance(config);
    instances.add(instance);
    return instance;
  }

  DirectoryBackend directory(HazelcastInstance instance) throws Exception {
    return directory(instance, 9000);
  }

  DirectoryBackend directory(HazelcastInstance instance, int leaseMillis) throws Exception {
    DirectoryBackend directory = await(HazelcastDirectory.open(vertx, instance, new DirectoryOptions()
      .setLeaseTime(Duration.ofMillis(leaseMillis))));
    await(directory.publish(directory.self()));
    return directory;
  }

  /** A client of the cluster. */
  ClientConfig clientConfig() {
    ClientConfig config = new ClientConfig().setClusterName("test-" + port).setProperty("hazelcast.logging.type", "none");
    config.getNetworkConfig().addAddress("127.0.0.1:" + port);
    return config;
  }

  /** Returns the keys of entries that are stored again from now on. */
  static List<String> updates(HazelcastInstance instance) {
    List<String> stored = new CopyOnWriteArrayList<>();
    EntryUpdatedListener<String, byte[]> listener = event -> stored.add(event.getKey());
    instance.<String, byte[]>getMap(MAP).addEntryListener(listener, false);
    return stored;
  }

  static Throwable failure(Future<?> future) {
    return assertThrows(ExecutionException.class, () -> await(future)).getCause();
  }
}
