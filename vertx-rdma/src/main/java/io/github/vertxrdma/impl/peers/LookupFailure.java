package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.Future;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Errors of failed look-ups, which list what the directory has. */
public final class LookupFailure {
  private static final int NAMES = 10;

  private LookupFailure() {
  }

  public static <T> Future<T> ofService(DirectoryBackend directory, String name, long millis, Throwable cause) {
    return of(directory, "service", name, millis, cause, directory.services().stream().map(ServiceEntry::name),
      entry -> entry instanceof ServiceEntry service && service.name().equals(name));
  }

  public static <T> Future<T> ofRegion(DirectoryBackend directory, String name, long millis, Throwable cause) {
    return of(directory, "region", name, millis, cause, directory.regions().stream().map(RegionEntry::name),
      entry -> entry instanceof RegionEntry region && region.name().equals(name));
  }

  private static <T> Future<T> of(DirectoryBackend directory, String what, String name, long millis, Throwable cause, Stream<String> others,
    Predicate<DirectoryEntry> wanted) {
    if (!(cause instanceof TimeoutException)) {
      return Future.failedFuture(cause);
    }
    long nodes = otherNodes(directory);
    String missing = what + " '" + name + "' did not appear in the " + directory.where() + ", within " + millis + " ms; there ";
    List<String> names = others.distinct().sorted().toList();
    String instead = nodes == 0 && names.isEmpty()
      ? "is no other node: nodes find each other if the type and the group of their DirectoryOptions are the same"
        + (directory instanceof SameHostDirectory
          ? " and they use one folder. A service with PrivateTmp= or a container has another folder of the same name: name one "
            + "folder for all with VERTX_RDMA_RUNTIME"
          : "")
      : (nodes == 0 ? "is no other node" : nodes == 1 ? "is 1 other node" : "are " + nodes + " other nodes") + names(what, names);
    return groupsWith(directory, wanted).compose(groups -> Future.failedFuture(new RdmaException(Reason.NOT_FOUND,
      missing + instead + groups(groups), cause)));
  }

  public static long otherNodes(DirectoryBackend directory) {
    return directory.nodes().stream().filter(node -> !node.nodeId().equals(directory.nodeId())).count();
  }

  public static Future<List<String>> groupsWith(DirectoryBackend directory, Predicate<DirectoryEntry> wanted) {
    return directory instanceof SameHostDirectory neighbours ? neighbours.groupsWith(wanted).otherwise(List.of())
      : Future.succeededFuture(List.of());
  }

  static String groups(List<String> groups) {
    return groups.isEmpty() ? "" : "; group" + (groups.size() == 1 ? " '" : "s '") + String.join("', '", groups.subList(0, Math.min(NAMES,
      groups.size()))) + (groups.size() == 1 ? "' has it" : "' have it") + ": give both nodes the same group, by DirectoryOptions or"
      + " -Dvertx.rdma.group=" + groups.getFirst();
  }

  private static String names(String what, List<String> names) {
    return switch (names.size()) {
      case 0 -> ", and no " + what;
      case 1 -> ", and the " + what + " '" + names.getFirst() + "'";
      default -> ", and the " + what + "s " + String.join(", ", names.subList(0, Math.min(NAMES, names.size())))
        + (names.size() > NAMES ? " and " + (names.size() - NAMES) + " more" : "");
    };
  }
}
