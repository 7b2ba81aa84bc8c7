package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.NodeEntry;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Reads the entries of nodes to which a directory is not connected. Has no entries, so that nodes do not list it. Used by one thread. */
final class FolderVisitor {
  final DirectoryCache cache = new DirectoryCache();
  private final FolderExchange exchange;
  private final ControlLinks links;
  private final Map<String, Future<Void>> visits = new HashMap<>();

  FolderVisitor(ContextInternal loop, FolderControl host) {
    NodeEntry self = NodeEntry.local("visitor " + UUID.randomUUID(), AbstractDirectory.newEpoch());
    exchange = new FolderExchange(loop, cache, List::of, (region, nodeId) -> null, (link, key) -> {});
    links = new ControlLinks(host, SameHostDirectory.settings(""), SameHostDirectory.SECRET, () -> self);
    exchange.attach(links);
  }

  /** Connects to nodes that are not visited yet. @return completes when the entries of those that answer are cached */
  Future<Void> visit(Collection<String> sockets) {
    sockets.stream().filter(socket -> !visits.containsKey(socket)).forEach(socket -> {
      Future<Void> met = SameHostDirectory.meet(links, socket);
      visits.put(socket, met);
      met.onFailure(cause -> visits.remove(socket, met));
    });
    return Future.join(List.copyOf(visits.values())).transform(met -> exchange.settled());
  }

  /** Returns the socket name of the node that has an entry; null if disconnected. */
  String socket(DirectoryEntry entry) {
    ControlLink link = exchange.link(entry.nodeId());
    return link == null ? null : link.peer().controlHost();
  }

  void close() {
    links.close();
  }
}
