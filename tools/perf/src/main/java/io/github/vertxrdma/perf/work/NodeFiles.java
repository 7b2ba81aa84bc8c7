package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.commands.Perf;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

public final class NodeFiles {
  private static final Set<String> CLUSTERED = Set.of("bus", "start");

  private NodeFiles() {
  }

  public static Path config(Setup setup) {
    return Path.of(setup.folder(), "rdma.json");
  }

  /** Writes the options. Omits the directory for a clustered Vert.x, which uses its cluster's directory. */
  public static void write(Setup setup) throws IOException {
    JsonObject json = NodeOptions.json(setup);
    if (CLUSTERED.contains(setup.mode())) {
      json.remove("directory");
    }
    if (setup.fabric().equals(Perf.ANY_FABRIC)) {
      json.remove("fabric");
    }
    if (setup.fabric().equals(Perf.NO_FABRIC)) {
      json.remove("fabric");
      json.put("transport", new JsonObject().put("eventBus", false).put("streams", "none"));
    }
    Files.writeString(config(setup), json.encode());
  }
}
