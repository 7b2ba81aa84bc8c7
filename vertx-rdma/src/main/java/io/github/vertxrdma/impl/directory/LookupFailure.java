package io.github.vertxrdma.impl.directory;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.EndpointDirectory;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** Errors for names that are not found, with what the directory has instead: mostly it is another one than somebody thought. */
public final class LookupFailure {
  private static final int NAMES = 10;

  private LookupFailure() {
  }

  /** Error for an endpoint that did not appear in that time; any other failure as it is. */
  public static Throwable ofEndpoint(EndpointDirectory directory, String name, long millis, Throwable cause) {
    return of(directory, "endpoint", name, millis, cause, directory.endpoints().stream().map(entry -> entry.name()));
  }

  /** Error for a region that did not appear in that time; any other failure as it is. */
  public static Throwable ofRegion(EndpointDirectory directory, String name, long millis, Throwable cause) {
    return of(directory, "region", name, millis, cause, directory.regions().stream().map(entry -> entry.name()));
  }

  private static Throwable of(EndpointDirectory directory, String what, String name, long millis, Throwable cause, Stream<String> others) {
    if (!(cause instanceof TimeoutException)) {
      return cause;
    }
    long nodes = directory.nodes().stream().filter(node -> !node.nodeId().equals(directory.nodeId())).count();
    String missing = what + " '" + name + "' did not appear in the " + directory.type() + " directory within " + millis + " ms; there ";
    return new RdmaException(Reason.NOT_FOUND, missing + (nodes == 0
      ? "is no other node: others find each other with the same DirectoryOptions, type and group included"
      : (nodes == 1 ? "is 1 other node" : "are " + nodes + " other nodes") + names(what, others.distinct().sorted().toList())), cause);
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
