package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.core.transport.Transport;
import java.nio.file.Path;

public final class NodeOptions {
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

  static JsonObject json(Setup setup) {
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
}
