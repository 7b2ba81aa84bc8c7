package io.github.vertxrdma.differential;

import io.github.vertxrdma.nic.Nic;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Ways between processes. All but {@link #STOCK} have default options, and all but {@link #NO_FABRIC} also {@code streams=all}. */
enum Lane {
  /** Vert.x alone, with the same jars. Its outcome is the expected value. */
  STOCK,
  SHM,
  /** The verbs device in user space, in processes that share no memory. */
  VERBS,
  /** Stock TCP channels on this library's event loops: only kernel sockets connect the processes. */
  TCP,
  /** TCP to a name, while a server of another node is at that port. */
  FALLBACK,
  /** Processes that no fabric except kernel sockets connects, and that want none. */
  NO_FABRIC;

  /** A name of 127.0.0.1 in {@link Program}. */
  static final String NAME = "rows.example";
  private static final String SECRET = "differential-3f9c1a7e5b2d8046";

  /** Returns why the lane cannot run here, or null. */
  String missing() {
    return this == VERBS ? Nic.built().missing() : null;
  }

  /**
   * Returns whether a row can run. An adapter acknowledges for a stopped process; the verbs device in user space does not, so writes to a
   * stopped reader do not complete.
   */
  boolean canRun(Row row) {
    return this != VERBS || row.ending() != Ending.HALT_STOPPED;
  }

  boolean isOverFabric() {
    return this == SHM || this == VERBS;
  }

  /** Returns whether connections went this way. */
  boolean isWay(GroupOutcome outcome) {
    return outcome.onFabric() == isOverFabric() && (outcome.channel() == null || outcome.channel().equals("EpollSocketChannel"));
  }

  String host() {
    return this == FALLBACK ? NAME : "127.0.0.1";
  }

  Map<String, String> environment() {
    return this == VERBS ? Nic.built().environment(Nic.DEFAULT) : Map.of();
  }

  /**
   * @param folder common folder of the processes that find each other
   * @param own name of this process's folder in it
   */
  List<String> options(Path folder, String own, boolean clustered) throws IOException {
    List<String> options = new ArrayList<>();
    if (this == STOCK) {
      options.add("-Dvertx.rdma=off");
      return options;
    }
    options.add("-Dvertx.rdma.streams=" + (this == NO_FABRIC ? "none" : "all"));
    options.add("-Dvertx.rdma.group=differential");
    boolean sharesNoMemory = this == TCP || this == VERBS;
    options.add("-Dvertx.rdma.runtime=" + folder.resolve(this == SHM || sharesNoMemory ? "run" : own));
    if (sharesNoMemory) {
      // Different runtime folders would count as different hosts.
      options.add("-Dvertx.rdma.shm.group=" + Files.getAttribute(folder, "unix:gid"));
      options.add("-Dvertx.rdma.shm.folder=" + folder.resolve(own));
    }
    JsonObject config = new JsonObject();
    if (this == VERBS && !clustered) {
      config.put("directory", new JsonObject().put("path", folder.resolve("directory").toString()));
    }
    if (this == FALLBACK && clustered) {
      // The other process has a directory folder of its own.
      config.put("directory", new JsonObject().put("type", "same-host"));
    }
    Path file = folder.resolve(own + ".json");
    Files.writeString(file, config.encode());
    options.add("-Dvertx.rdma.config=" + file);
    return options;
  }

  /** Returns the secret of nodes with different runtime folders. */
  static Map<String, String> secret() {
    return Map.of("VERTX_RDMA_SECRET", SECRET);
  }
}
