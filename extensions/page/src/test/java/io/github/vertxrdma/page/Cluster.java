package io.github.vertxrdma.page;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Nodes of one process, over Java sockets. The first serves the service {@code echo} and the region {@code table}; the others use them.
 */
final class Cluster implements AutoCloseable {
  private static final String ECHO = "echo";

  private final List<Vertx> vertx = new ArrayList<>();
  private final List<Rdma> nodes = new ArrayList<>();
  private final List<RdmaBusClient> clients = new ArrayList<>();
  private final List<RemoteRegion> tables = new ArrayList<>();

  /** @param silent number of the node without statistics; -1 for none */
  Cluster(Path folder, int size, int silent) throws Exception {
    for (int i = 0; i < size; i++) {
      Vertx one = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
      vertx.add(one);
      nodes.add(Rdma.create(one, options(folder, i).setStatistics(i != silent)));
      await(nodes.get(i).directory());
    }
    vertx.getFirst().eventBus().consumer(ECHO, message -> message.reply(message.body()));
    // The verticle uses the node that these options describe.
    await(vertx.getFirst().deployVerticle("rdma:" + ECHO, new DeploymentOptions().setConfig(
      new RdmaBusServiceOptions().setRdma(options(folder, 0).setStatistics(silent != 0)).toJson())));
    await(node(0).createRegion(new RegionOptions().setName("table").setSize(4096).setAccess(RegionAccess.READ, RegionAccess.WRITE)));
  }

  private static RdmaOptions options(Path folder, int i) {
    return new RdmaOptions().setFabric("nio").setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setNodeId("node-" + i)
      .setPath(folder.resolve("directory").toString()));
  }

  Rdma node(int i) {
    return nodes.get(i);
  }

  Vertx vertx(int i) {
    return vertx.get(i);
  }

  void connect() throws Exception {
    for (int i = 1; i < nodes.size(); i++) {
      clients.add(await(nodes.get(i).connectBus(ECHO)));
      tables.add(await(nodes.get(i).openRegion("table")));
    }
  }

  void use() throws Exception {
    for (int i = 0; i < clients.size(); i++) {
      await(clients.get(i).request(Buffer.buffer("hello")));
      await(tables.get(i).read(0, 64));
    }
  }

  static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  @Override
  public void close() throws Exception {
    for (Vertx one : vertx) {
      await(one.close());
    }
  }
}
