package io.github.vertxrdma.perf.work;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** The options of a pair's processes as the file that the transport reads. */
public final class NodeFiles {
  private static final Set<String> CLUSTERED = Set.of("bus", "start", "first");

  private NodeFiles() {
  }

  public static Path config(Setup setup) {
    return Path.of(setup.folder(), "rdma.json");
  }

  /** A clustered Vert.x uses the cluster's own directory. */
  public static void write(Setup setup) throws IOException {
    JsonObject json = NodeOptions.json(setup);
    if (CLUSTERED.contains(setup.mode())) {
      json.remove("directory");
    }
    Files.writeString(config(setup), json.encode());
  }
}
