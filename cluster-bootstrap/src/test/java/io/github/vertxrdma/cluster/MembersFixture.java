package io.github.vertxrdma.cluster;

import static io.github.vertxrdma.cluster.Clusters.await;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

abstract class MembersFixture {
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
    HazelcastInstance instance = Hazelcast.newHazelcastInstance(Clusters.config(port));
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

  static Throwable failure(Future<?> future) {
    return assertThrows(ExecutionException.class, () -> await(future)).getCause();
  }
}
