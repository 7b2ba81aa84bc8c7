package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryBackendFactory;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.poll.BlockingCalls;
import io.github.vertxrdma.impl.process.ProcessGroup;
import io.github.vertxrdma.impl.process.Setting;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Supplier;

public final class Directories {
  /** System property, and environment variable {@code VERTX_RDMA_DIRECTORY}: type of the directory if the options have {@code auto}. */
  public static final String TYPE = "vertx.rdma.directory";
  /** System property, and environment variable {@code VERTX_RDMA_GROUP}: group of the directory if the options have none. */
  public static final String GROUP = "vertx.rdma.group";

  private Directories() {
  }

  public static Future<DirectoryBackend> open(Vertx vertx, DirectoryOptions base) {
    DirectoryOptions options = new DirectoryOptions(base);
    String type = Setting.of(TYPE);
    String group = Setting.of(GROUP);
    if (type != null && options.getType().equals(DirectoryOptions.AUTO)) {
      options.setType(type);
    }
    if (group != null && options.getGroup() == null) {
      options.setGroup(group);
    }
    // On a worker thread, because find() loads classes and reads files.
    return new BlockingCalls(((VertxInternal) vertx).getOrCreateContext()).result(() -> find(vertx, options)).compose(Supplier::get);
  }

  private static Supplier<Future<DirectoryBackend>> find(Vertx vertx, DirectoryOptions options) throws IOException {
    return switch (options.getType()) {
      case DirectoryOptions.STATIC -> new StaticDirectory(vertx, withoutSettings(DirectoryOptions.STATIC, options))::open;
      case DirectoryOptions.SAME_HOST -> sameHost(vertx, options);
      default -> service(vertx, options);
    };
  }

  private static Supplier<Future<DirectoryBackend>> service(Vertx vertx, DirectoryOptions options) throws IOException {
    boolean auto = options.getType().equals(DirectoryOptions.AUTO);
    List<String> known = new ArrayList<>(List.of(DirectoryOptions.AUTO, DirectoryOptions.STATIC, DirectoryOptions.SAME_HOST));
    for (DirectoryBackendFactory factory : ServiceLoader.load(DirectoryBackendFactory.class, Directories.class.getClassLoader())) {
      known.add(factory.type());
      if (auto ? factory.appliesTo(vertx) : factory.type().equals(options.getType())) {
        return () -> factory.open(vertx, options);
      }
    }
    if (!auto) {
      throw new IllegalArgumentException("there is no directory of type '" + options.getType() + "' on the class path. Known types are "
        + String.join(", ", known));
    }
    if (vertx.isClustered() && options.getNodeId() == null) {
      // The cluster manager has no directory, so nodes find each other on one host only.
      options.setNodeId(((VertxInternal) vertx).clusterManager().getNodeId());
    }
    return sameHost(vertx, options);
  }

  private static Supplier<Future<DirectoryBackend>> sameHost(Vertx vertx, DirectoryOptions options) throws IOException {
    withoutSettings(DirectoryOptions.SAME_HOST, options);
    if (options.getGroup() == null) {
      // Unrelated applications share the folder of the user, so each has its own group there.
      options.setGroup(vertx.isClustered() || options.getPath() != null ? DirectoryOptions.DEFAULT_GROUP : ProcessGroup.own());
    }
    return SameHostDirectory.create(vertx, options, SameHostDirectory.MOST_LINKS)::open;
  }

  private static DirectoryOptions withoutSettings(String type, DirectoryOptions options) {
    if (options.getSettings().isEmpty()) {
      return options;
    }
    boolean auto = options.getType().equals(DirectoryOptions.AUTO);
    throw new IllegalArgumentException("directory type '" + type + "'" + (auto ? ", which 'auto' selects here," : "")
      + " has no settings, but these are set: " + String.join(", ", options.getSettings().fieldNames())
      + ". Set 'type' to the type that they are for, or remove them");
  }
}
