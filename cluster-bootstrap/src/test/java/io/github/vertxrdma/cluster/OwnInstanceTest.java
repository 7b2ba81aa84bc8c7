package io.github.vertxrdma.cluster;

import static io.github.vertxrdma.cluster.Clusters.await;
import static io.github.vertxrdma.cluster.Clusters.until;
import static org.junit.jupiter.api.Assertions.*;

import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOpenOptions;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class OwnInstanceTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @Test
  @Tag("full")
  void ownInstanceAndClusterManagersFindEachOther() throws Exception {
    int port = Clusters.freePorts();
    Vertx clustered = ClusteredVertxTest.clustered(port);
    Vertx plain = Vertx.vertx();
    HazelcastInstance own = Hazelcast.newHazelcastInstance(Clusters.config(port));
    try {
      HazelcastInstance managers = ((HazelcastClusterManager) ((VertxInternal) clustered).clusterManager()).getHazelcastInstance();
      RdmaOptions options = new RdmaOptions().setFabric("nio");
      Rdma a = Rdma.create(plain, options, await(HazelcastDirectory.open(plain, own, new DirectoryOptions())));
      Rdma b = Rdma.create(clustered, options, await(HazelcastDirectory.open(clustered, managers, new DirectoryOptions())));
      Rdma byItself = Rdma.create(clustered, options);

      MemoryRegion table = await(
        a.createRegion(new RegionOptions().setName("table").setSize(64).setAccess(RegionAccess.READ, RegionAccess.WRITE)));
      await(b.createServer().connectHandler(c -> c.handler(c::write)).listen("echo"));
      for (Rdma user : List.of(b, byItself)) {
        RemoteRegion remote = await(user.openRegion("table", new RegionOpenOptions().setLookupTimeout(PATIENCE)));
        await(remote.write(0, Buffer.buffer("written")));
        assertEquals("written", await(remote.read(0, 7)).toString());
      }
      assertEquals('w', table.segment().get(ValueLayout.JAVA_BYTE, 0));
      RdmaConnection connection = await(a.connect("echo", new RdmaConnectOptions().setLookupTimeout(PATIENCE)));
      List<String> heard = new CopyOnWriteArrayList<>();
      connection.handler(message -> heard.add(message.toString()));
      await(connection.write(Buffer.buffer("hello")));
      until("it answers", () -> heard.contains("hello"));

      RdmaDirectory directory = await(b.directory());
      await(a.close());
      assertTrue(own.getLifecycleService().isRunning(), "the instance is the caller's");
      until("what was shared is gone", () -> directory.region("table").isEmpty());
    } finally {
      await(plain.close());
      await(clustered.close());
      own.shutdown();
    }
  }
}
