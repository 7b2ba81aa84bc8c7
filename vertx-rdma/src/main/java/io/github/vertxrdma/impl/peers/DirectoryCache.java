package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.DirectoryEvent.Type;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Local copy of a directory. An entry is visible while its node's entry is there and has the same epoch; it may arrive before that. Entries
 * of an epoch that was declared dead are not stored. Reads take no lock. Listeners get every change in order, because they are called with
 * the lock held. A listener must only pass the event on.
 */
public final class DirectoryCache {
  private static final int DEAD_EPOCHS = 4096;
  private static final Comparator<String> NODE_LAST = Comparator.<String, Boolean>comparing(key -> key.startsWith("n/"))
    .thenComparing(Comparator.naturalOrder());
  private static final Comparator<ServiceEntry> BY_KEY = Comparator.comparing(ServiceEntry::key);

  private final Map<String, DirectoryEntry> stored = new HashMap<>();
  /** Keys of entries by node id, so that a change of one node does not search all entries. */
  private final Map<String, Set<String>> keysOf = new HashMap<>();
  private final Map<String, DirectoryEntry> visible = new ConcurrentHashMap<>();
  private final Map<String, List<ServiceEntry>> servicesByName = new ConcurrentHashMap<>();
  private final Set<NodeEpoch> dead = new LinkedHashSet<>();
  private final List<Consumer<DirectoryEvent>> listeners = new CopyOnWriteArrayList<>();

  private record NodeEpoch(String nodeId, long epoch) {
  }

  public synchronized void put(DirectoryEntry entry) {
    if (dead.contains(new NodeEpoch(entry.nodeId(), entry.epoch()))) {
      return;
    }
    String key = entry.key().intern();
    DirectoryEntry before = store(key, entry);
    if (entry instanceof NodeEntry && before != null && before.epoch() != entry.epoch()) {
      keysOf(entry.nodeId()).forEach(this::hide);
    }
    refresh(key);
    if (entry instanceof NodeEntry) {
      keysOf(entry.nodeId()).forEach(this::refresh);
    }
  }

  public synchronized void remove(String key) {
    DirectoryEntry before = stored.remove(key);
    if (before != null) {
      forget(before.nodeId(), key);
    }
    if (before instanceof NodeEntry) {
      keysOf(before.nodeId()).forEach(this::hide);
    }
    hide(key);
  }

  /** Removes an entry, unless one of another epoch or node has replaced it. */
  public synchronized void remove(DirectoryEntry entry) {
    DirectoryEntry present = stored.get(entry.key());
    if (present != null && present.nodeId().equals(entry.nodeId()) && present.epoch() == entry.epoch()) {
      remove(entry.key());
    }
  }

  public synchronized void clear() {
    new TreeSet<>(stored.keySet()).forEach(this::remove);
  }

  public synchronized void removeOf(String nodeId, String key) {
    DirectoryEntry present = stored.get(key);
    if (present != null && present.nodeId().equals(nodeId)) {
      remove(key);
    }
  }

  /** Removes the entries of a node with keys in ({@code after}, {@code last}], except {@code keys}. An empty bound is none. */
  public synchronized void keepOf(String nodeId, String after, String last, Set<String> keys) {
    for (String key : keysOf(nodeId)) {
      if (isBetween(key, after, last) && !keys.contains(key)) {
        remove(key);
      }
    }
  }

  static boolean isBetween(String key, String after, String last) {
    return key.compareTo(after) > 0 && (last.isEmpty() || key.compareTo(last) <= 0);
  }

  public synchronized void removeNode(String nodeId, long epoch) {
    keysOf(nodeId).stream().filter(key -> stored.get(key).epoch() == epoch).forEach(this::remove);
  }

  public synchronized void declareDead(String nodeId, long epoch) {
    dead.add(new NodeEpoch(nodeId, epoch));
    if (dead.size() > DEAD_EPOCHS) {
      dead.remove(dead.iterator().next());
    }
    removeNode(nodeId, epoch);
  }

  public Optional<NodeEntry> node(String nodeId) {
    return Optional.ofNullable((NodeEntry) visible.get("n/" + nodeId));
  }

  public Optional<RegionEntry> region(String name) {
    return Optional.ofNullable((RegionEntry) visible.get("r/" + name));
  }

  String ownerOf(RegionEntry region, String self) {
    return region(region.name()).map(RegionEntry::nodeId).filter(owner -> !owner.equals(self)).orElse(null);
  }

  public List<ServiceEntry> services(String name) {
    return servicesByName.getOrDefault(name, List.of());
  }

  /** Returns the services whose names end with a colon and this port. */
  public List<ServiceEntry> servicesAt(int port) {
    String end = ":" + port;
    return servicesByName.keySet().stream().filter(name -> name.endsWith(end)).flatMap(name -> services(name).stream()).toList();
  }

  public <T extends DirectoryEntry> List<T> all(Class<T> kind) {
    // Filters before it sorts: a node may have a hundred thousand regions.
    return visible.entrySet().stream().filter(each -> kind.isInstance(each.getValue())).sorted(Map.Entry.comparingByKey())
      .map(each -> kind.cast(each.getValue())).toList();
  }

  /** Adds a listener, and calls it with {@code ADDED} for each visible entry, nodes first. */
  public synchronized void addListener(Consumer<DirectoryEvent> listener) {
    all(NodeEntry.class).forEach(node -> listener.accept(new DirectoryEvent(Type.ADDED, node)));
    all(DirectoryEntry.class).stream().filter(entry -> !(entry instanceof NodeEntry))
      .forEach(entry -> listener.accept(new DirectoryEvent(Type.ADDED, entry)));
    listeners.add(listener);
  }

  public void removeListener(Consumer<DirectoryEvent> listener) {
    listeners.remove(listener);
  }

  /** Returns the keys of a node's entries, that of the node itself last. */
  private List<String> keysOf(String nodeId) {
    return List.copyOf(keysOf.getOrDefault(nodeId, Set.of()));
  }

  private DirectoryEntry store(String key, DirectoryEntry entry) {
    DirectoryEntry before = stored.put(key, entry);
    if (before != null && !before.nodeId().equals(entry.nodeId())) {
      forget(before.nodeId(), key);
    }
    keysOf.computeIfAbsent(entry.nodeId(), id -> new TreeSet<>(NODE_LAST)).add(key);
    return before;
  }

  private void forget(String nodeId, String key) {
    keysOf.computeIfPresent(nodeId, (id, keys) -> keys.remove(key) && keys.isEmpty() ? null : keys);
  }

  private void refresh(String key) {
    DirectoryEntry entry = stored.get(key);
    DirectoryEntry node = stored.get("n/" + entry.nodeId());
    if (node == null || node.epoch() != entry.epoch()) {
      hide(key);
      return;
    }
    DirectoryEntry before = visible.put(key, entry);
    if (entry.equals(before)) {
      return;
    }
    index(entry);
    if (before == null) {
      notifyListeners(Type.ADDED, entry);
    } else if (before.epoch() == entry.epoch() && before.nodeId().equals(entry.nodeId())) {
      notifyListeners(Type.CHANGED, entry);
    } else {
      notifyListeners(Type.REMOVED, before);
      notifyListeners(Type.ADDED, entry);
    }
  }

  private void hide(String key) {
    DirectoryEntry before = visible.remove(key);
    if (before != null) {
      index(before);
      notifyListeners(Type.REMOVED, before);
    }
  }

  private void index(DirectoryEntry changed) {
    if (changed instanceof ServiceEntry service) {
      List<ServiceEntry> instances = new ArrayList<>(services(service.name()));
      int place = Collections.binarySearch(instances, service, BY_KEY);
      if (place >= 0) {
        instances.remove(place);
      }
      if (visible.get(service.key()) instanceof ServiceEntry now) {
        instances.add(place >= 0 ? place : -place - 1, now);
      }
      if (instances.isEmpty()) {
        servicesByName.remove(service.name());
      } else {
        servicesByName.put(service.name(), List.copyOf(instances));
      }
    }
  }

  private void notifyListeners(Type type, DirectoryEntry entry) {
    DirectoryEvent event = new DirectoryEvent(type, entry);
    listeners.forEach(listener -> listener.accept(event));
  }
}
