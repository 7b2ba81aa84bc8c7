package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.commands.Perf;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.core.transport.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * Setup of both processes of a pair.
 *
 * @param stack measured stack: {@code rdma}, {@code tcp}, {@code aeron}
 * @param port free port; the next port is also free
 * @param options options of the node by name, and options of the measurement
 */
public record Setup(String stack, String mode, String fabric, int connections, int window, String folder, int port, JsonObject options) {
  private static final Set<String> CLUSTERED = Set.of("bus", "start");
  private static final List<String> OF_THE_MEASUREMENT = List.of("zeroCopy", "touch", "apart", "loops", "transport", "spin", "worker",
    "work",
    "serve", "to");

  public boolean has(String option) {
    return options.getBoolean(option, false);
  }

  public JsonObject toJson() {
    return new JsonObject().put("stack", stack).put("mode", mode).put("fabric", fabric).put("connections", connections)
      .put("window", window).put("folder", folder).put("port", port).put("options", options);
  }

  static Setup of(JsonObject json) {
    return new Setup(json.getString("stack"), json.getString("mode"), json.getString("fabric"), json.getInteger("connections"),
      json.getInteger("window"), json.getString("folder"), json.getInteger("port"), json.getJsonObject("options"));
  }

  int loops() {
    int loops = options.getInteger("loops", 0);
    return loops == 0 ? VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE : loops;
  }

  VertxBuilder vertx(VertxOptions of) {
    VertxBuilder builder = Vertx.builder().with(of.setEventLoopPoolSize(loops()));
    String transport = options.getString("transport");
    return transport == null ? builder : builder.withTransport(transport(transport));
  }

  /** Returns null if the transport's classes are missing. */
  public static Transport transport(String name) {
    return name.equals("io_uring") ? Transport.IO_URING : Transport.EPOLL;
  }

  /** Returns options of a node with a private directory of the pair: a folder, or the address of a server on another host. */
  RdmaOptions rdma() {
    return new RdmaOptions(nodeOptions());
  }

  private JsonObject nodeOptions() {
    JsonObject json = new RdmaOptions().toJson().mergeIn(options);
    OF_THE_MEASUREMENT.forEach(json::remove);
    json.put("fabric", fabric);
    DirectoryOptions directory = new DirectoryOptions();
    String serve = options.getString("serve");
    String to = options.getString("to");
    if (serve != null) {
      int colon = serve.lastIndexOf(':');
      json.put("host", serve.substring(0, colon).replaceAll("[\\[\\]]", ""))
        .put("controlPort", Integer.parseInt(serve.substring(colon + 1)))
        .put("controlPortCount", 1);
      directory.setType(DirectoryOptions.STATIC);
    } else if (to != null) {
      directory.setType(DirectoryOptions.STATIC).addPeer(to);
    } else {
      directory.setType(DirectoryOptions.SAME_HOST).setPath(Path.of(folder, "directory").toString());
    }
    return json.put("directory", directory.toJson());
  }

  /** Returns the path of the file that {@link #writeNodeOptions} writes. */
  public Path nodeFile() {
    return Path.of(folder, "rdma.json");
  }

  /** Writes the options of a node. Omits the directory for a clustered Vert.x, which uses its cluster's directory. */
  public void writeNodeOptions() throws IOException {
    JsonObject json = nodeOptions();
    if (CLUSTERED.contains(mode)) {
      json.remove("directory");
    }
    if (fabric.equals(Perf.ANY_FABRIC) || fabric.equals(Perf.NO_FABRIC)) {
      json.remove("fabric");
    }
    if (fabric.equals(Perf.NO_FABRIC)) {
      json.put("transport", new JsonObject().put("eventBus", false).put("streams", "none"));
    }
    Files.writeString(nodeFile(), json.encode());
  }
}
