package io.github.vertxrdma.impl.directory;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryBackendFactory;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.process.ProcessGroup;
import io.github.vertxrdma.impl.process.Setting;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Supplier;

/** Finds the directory that options ask for. */
public final class Directories {
  /** System property, and environment variable {@code VERTX_RDMA_DIRECTORY}: the type of directory where options leave it to be found. */
  public static final String TYPE = "vertx.rdma.directory";
  /** System property, and environment variable {@code VERTX_RDMA_GROUP}: the group of nodes where options name none. */
  public static final String GROUP = "vertx.rdma.group";

  private Directories() {
  }

  /** @see DirectoryBackend#open */
  public static Future<DirectoryBackend> open(Vertx vertx, DirectoryOptions given) {
    DirectoryOptions options = configured(given);
    // Off the event loop: services are looked for, their classes loaded, and where this process runs is read from files.
    return ((VertxInternal) vertx).getOrCreateContext().executeBlockingInternal(() -> find(vertx, options)).compose(Supplier::get);
  }

  /** The options with the process's settings where they say nothing. */
  private static DirectoryOptions configured(DirectoryOptions given) {
    DirectoryOptions options = new DirectoryOptions(given);
    String type = Setting.of(TYPE);
    String group = Setting.of(GROUP);
    if (type != null && options.getType().equals(DirectoryOptions.AUTO)) {
      options.setType(type);
    }
    if (group != null && options.getGroup() == null) {
      options.setGroup(group);
    }
    return options;
  }

  /**
   * Names the group where nobody did: a cluster, and a folder of its own, are as good as one; the folder of a user is for all applications.
   */
  private static DirectoryOptions inGroup(Vertx vertx, DirectoryOptions options) {
    return options.getGroup() != null ? options
      : options.setGroup(vertx.isClustered() || options.getPath() != null ? DirectoryOptions.DEFAULT_GROUP : ProcessGroup.own());
  }

  private static Supplier<Future<DirectoryBackend>> find(Vertx vertx, DirectoryOptions options) {
    return switch (options.getType()) {
      case DirectoryOptions.STATIC -> new StaticDirectory(vertx, withoutSettings(DirectoryOptions.STATIC, options))::open;
      case DirectoryOptions.SAME_HOST -> sameHost(vertx, options);
      default -> service(vertx, options);
    };
  }

  private static Supplier<Future<DirectoryBackend>> service(Vertx vertx, DirectoryOptions options) {
    boolean auto = options.getType().equals(DirectoryOptions.AUTO);
    List<String> known = new ArrayList<>(List.of(DirectoryOptions.AUTO, DirectoryOptions.STATIC, DirectoryOptions.SAME_HOST));
    for (DirectoryBackendFactory factory : ServiceLoader.load(DirectoryBackendFactory.class, Directories.class.getClassLoader())) {
      known.add(factory.type());
      if (auto ? factory.appliesTo(vertx) : factory.type().equals(options.getType())) {
        return () -> factory.open(vertx, options);
      }
    }
    if (auto && vertx.isClustered()) {
      // A cluster manager of another kind has no directory of ours; on one host this does as well.
      String nodeId = options.getNodeId() == null ? ((VertxInternal) vertx).clusterManager().getNodeId() : options.getNodeId();
      return sameHost(vertx, options.setNodeId(nodeId));
    }
    if (!auto) {
      throw new IllegalArgumentException("there is no directory of type '" + options.getType() + "' on the class path; known are "
        + String.join(", ", known));
    }
    return sameHost(vertx, options);
  }

  private static Supplier<Future<DirectoryBackend>> sameHost(Vertx vertx, DirectoryOptions options) {
    withoutSettings(DirectoryOptions.SAME_HOST, options);
    return () -> SameHostDirectory.open(vertx, inGroup(vertx, options));
  }

  /** The options, if they have no settings, which are for another type than that. */
  private static DirectoryOptions withoutSettings(String type, DirectoryOptions options) {
    if (options.getSettings().isEmpty()) {
      return options;
    }
    boolean auto = options.getType().equals(DirectoryOptions.AUTO);
    throw new IllegalArgumentException(
      "directory type '" + type + "'" + (auto ? ", which 'auto' takes here," : "") + " reads no settings, and there are "
        + String.join(", ", options.getSettings().fieldNames()) + "; set 'type' to the one that they are for, or leave them out");
  }
}
