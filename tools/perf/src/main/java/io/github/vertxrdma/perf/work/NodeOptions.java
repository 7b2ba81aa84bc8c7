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
import java.util.Set;

public final class NodeOptions {
  private static final Set<String> CLUSTERED = Set.of("bus", "start");

  private NodeOptions() {
  }

  static int loops(Setup setup) {
    int loops = setup.options().getInteger("loops", 0);
    return loops == 0 ? VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE : loops;
  }

  static VertxBuilder vertx(Setup setup, VertxOptions options) {
    VertxBuilder builder = Vertx.builder().with(options.setEventLoopPoolSize(loops(setup)));
    String transport = setup.options().getString("transport");
    return transport == null ? builder : builder.withTransport(transport(transport));
  }

  /** Returns null if the transport's classes are missing. */
  public static Transport transport(String name) {
    return name.equals("io_uring") ? Transport.IO_URING : Transport.EPOLL;
  }

  /** Returns options with a private directory of the pair: a folder, or the address of a server on another host. */
  static RdmaOptions rdma(Setup setup) {
    return new RdmaOptions(json(setup));
  }

  private static JsonObject json(Setup setup) {
    JsonObject json = new RdmaOptions().toJson().mergeIn(setup.options());
    Setup.OF_THE_MEASUREMENT.forEach(json::remove);
    json.put("fabric", setup.fabric());
    DirectoryOptions directory = new DirectoryOptions();
    String serve = setup.options().getString("serve");
    String to = setup.options().getString("to");
    if (serve != null) {
      int colon = serve.lastIndexOf(':');
      json.put("host", serve.substring(0, colon).replaceAll("[\\[\\]]", ""))
        .put("controlPort", Integer.parseInt(serve.substring(colon + 1)))
        .put("controlPortCount", 1);
      directory.setType(DirectoryOptions.STATIC);
    } else if (to != null) {
      directory.setType(DirectoryOptions.STATIC).addPeer(to);
    } else {
      directory.setType(DirectoryOptions.SAME_HOST).setPath(Path.of(setup.folder(), "directory").toString());
    }
    return json.put("directory", directory.toJson());
  }

  /** Returns the path of the file that {@link #write} writes. */
  public static Path file(Setup setup) {
    return Path.of(setup.folder(), "rdma.json");
  }

  /** Writes the options. Omits the directory for a clustered Vert.x, which uses its cluster's directory. */
  public static void write(Setup setup) throws IOException {
    JsonObject json = json(setup);
    if (CLUSTERED.contains(setup.mode())) {
      json.remove("directory");
    }
    if (setup.fabric().equals(Perf.ANY_FABRIC) || setup.fabric().equals(Perf.NO_FABRIC)) {
      json.remove("fabric");
    }
    if (setup.fabric().equals(Perf.NO_FABRIC)) {
      json.put("transport", new JsonObject().put("eventBus", false).put("streams", "none"));
    }
    Files.writeString(file(setup), json.encode());
  }
}
