package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.NodeEntry;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Reads the entries of nodes with which a directory is not connected. It has none itself, so no node shows it. */
final class FolderVisitor {
  final DirectoryCache cache = new DirectoryCache();
  private final FolderExchange exchange;
  private final ControlLinks links;
  private final Set<String> visited = ConcurrentHashMap.newKeySet();

  FolderVisitor(ContextInternal loop, FolderControl host) {
    NodeEntry self = NodeEntry.local("visitor " + UUID.randomUUID(), AbstractDirectory.newEpoch());
    exchange = new FolderExchange(loop, cache, List::of, (region, nodeId) -> null, (link, key) -> {});
    links = new ControlLinks(host, SameHostDirectory.settings(""), SameHostDirectory.SECRET, () -> self);
    exchange.attach(links);
  }

  /** Connects with nodes that it has not visited. @return completes when it has their entries; nodes that do not answer are left out */
  Future<Void> visit(Collection<String> sockets) {
    List<Future<Void>> all = sockets.stream().filter(visited::add)
      .map(socket -> SameHostDirectory.meet(links, socket).onFailure(cause -> visited.remove(socket))).toList();
    return Future.join(all).transform(met -> exchange.settled());
  }

  /** Returns the socket of the node that has an entry; null if it has gone. */
  String socket(DirectoryEntry entry) {
    ControlLink link = exchange.link(entry.nodeId());
    return link == null ? null : link.peer().controlHost();
  }

  void close() {
    links.close();
  }
}
