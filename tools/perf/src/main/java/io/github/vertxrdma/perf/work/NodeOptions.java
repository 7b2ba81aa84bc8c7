package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;

/** Options of the processes of a pair. */
final class NodeOptions {
  private NodeOptions() {
  }

  /** One event loop, as a pinned process has one processor. */
  static VertxOptions vertx() {
    return new VertxOptions().setEventLoopPoolSize(1);
  }

  /** Over the setup's fabric, with a directory of the pair's own. */
  static RdmaOptions rdma(Setup setup) {
    return new RdmaOptions(json(setup));
  }

  static JsonObject json(Setup setup) {
    JsonObject json = new RdmaOptions().toJson().mergeIn(setup.options());
    Setup.OF_THE_MEASUREMENT.forEach(json::remove);
    return json.put("fabric", setup.fabric())
      .put("directory", new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPollInterval(Duration.ofMillis(20))
        .setPath(Path.of(setup.folder(), "directory").toString()).toJson());
  }
}
