package io.github.vertxrdma.impl.directory;

import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.EndpointDirectory;
import io.github.vertxrdma.directory.EndpointDirectoryFactory;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Supplier;

/** Finds the directory that options ask for. */
public final class Directories {
  private Directories() {
  }

  /** @see EndpointDirectory#open */
  public static Future<EndpointDirectory> open(Vertx vertx, DirectoryOptions options) {
    // Off the event loop: services are looked for, their classes loaded, and where this process runs is read from files.
    return ((VertxInternal) vertx).getOrCreateContext().executeBlockingInternal(() -> find(vertx, options)).compose(Supplier::get);
  }

  private static Supplier<Future<EndpointDirectory>> find(Vertx vertx, DirectoryOptions options) {
    return switch (options.getType()) {
      case DirectoryOptions.STATIC -> made(vertx, options);
      case DirectoryOptions.SAME_HOST -> () -> SameHostDirectory.open(vertx, options);
      default -> service(vertx, options);
    };
  }

  private static Supplier<Future<EndpointDirectory>> made(Vertx vertx, DirectoryOptions options) {
    EndpointDirectory directory = new StaticDirectory(vertx, options);
    return () -> Future.succeededFuture(directory);
  }

  private static Supplier<Future<EndpointDirectory>> service(Vertx vertx, DirectoryOptions options) {
    boolean auto = options.getType().equals(DirectoryOptions.AUTO);
    List<String> known = new ArrayList<>(List.of(DirectoryOptions.AUTO, DirectoryOptions.STATIC, DirectoryOptions.SAME_HOST));
    for (EndpointDirectoryFactory factory : ServiceLoader.load(EndpointDirectoryFactory.class, Directories.class.getClassLoader())) {
      known.add(factory.type());
      if (auto ? factory.appliesTo(vertx) : factory.type().equals(options.getType())) {
        return () -> factory.open(vertx, options);
      }
    }
    if (auto && vertx.isClustered()) {
      // A cluster manager of another kind has no directory of ours; on one host this does as well.
      String nodeId = options.getNodeId() == null ? ((VertxInternal) vertx).clusterManager().getNodeId() : options.getNodeId();
      return () -> SameHostDirectory.open(vertx, new DirectoryOptions(options).setNodeId(nodeId));
    }
    if (!auto) {
      throw new IllegalArgumentException("there is no directory of type '" + options.getType() + "' on the class path; known are "
        + String.join(", ", known));
    }
    return made(vertx, options);
  }
}
