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

  /** Returns options with the given number of event loops, as a pinned process has one processor, or the defaults for plain processes. */
  static VertxOptions vertx(Setup setup, int loops) {
    VertxOptions options = new VertxOptions();
    return setup.has("plain") ? options : options.setEventLoopPoolSize(loops);
  }

  /** Over the setup's fabric, with a directory of the pair's own. */
  static RdmaOptions rdma(Setup setup) {
    return new RdmaOptions(json(setup));
  }

  static JsonObject json(Setup setup) {
    JsonObject json = new RdmaOptions().toJson().mergeIn(setup.options());
    Setup.OF_THE_MEASUREMENT.forEach(json::remove);
    return json.put("fabric", setup.fabric())
      .put("directory", new DirectoryOptions().setType(setup.mode().equals("proofs") ? ChangingDirectory.TYPE : DirectoryOptions.SAME_HOST)
        .setPollInterval(Duration.ofMillis(20))
        .setPath(Path.of(setup.folder(), "directory").toString()).toJson());
  }
}
