package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Nodes that have just come and of which the directory does not tell yet where they listen. The cluster manager may tell of their event bus
 * earlier, by another way, and a connection of the event bus stays what it is: so one that is made now had better wait a little. Any
 * thread.
 */
final class Newcomers {
  private static final long NEW_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final DirectoryBackend directory;
  private final Map<String, Long> seen = new ConcurrentHashMap<>();

  Newcomers(DirectoryBackend directory) {
    this.directory = directory;
    directory.watchNodes(this::heard);
  }

  private void heard(DirectoryEvent event) {
    NodeEntry node = (NodeEntry) event.entry();
    if (event.type() == DirectoryEvent.Type.REMOVED) {
      seen.remove(node.nodeId());
    } else if (!node.nodeId().equals(directory.nodeId())) {
      seen.putIfAbsent(node.nodeId(), System.nanoTime());
    }
  }

  /** Returns whether there is one that meets a condition. */
  boolean any(Predicate<NodeEntry> condition) {
    if (seen.isEmpty()) {
      return false;
    }
    long now = System.nanoTime();
    seen.values().removeIf(since -> now - since > NEW_NANOS);
    if (seen.isEmpty()) {
      return false;
    }
    Set<String> listening = new HashSet<>();
    for (ServiceEntry entry : directory.services()) {
      if (RouteNames.isRoute(entry.name())) {
        listening.add(entry.nodeId());
      }
    }
    return seen.keySet().stream().filter(node -> !listening.contains(node))
      .anyMatch(node -> directory.node(node).filter(condition).isPresent());
  }
}
