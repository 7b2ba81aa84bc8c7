package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.FabricInfo;
import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.impl.poll.BlockingCalls;
import io.github.vertxrdma.impl.process.NumaNode;
import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Requirements;
import io.github.vertxrdma.provider.Selection;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Devices that a node may use, listens on, and has opened. Searches again for devices that were missing when the node started, such as
 * ports whose link was down. Thread-safe.
 */
public final class NodeDevices {
  private static final Logger LOG = LoggerFactory.getLogger(NodeDevices.class);
  /** Pauses between searches. They grow while nothing changes, because a search opens devices. */
  private static final Attempts.Limits PAUSES = Attempts.Limits.endless(1_000, 30_000);

  private static final Set<String> LOGGED = ConcurrentHashMap.newKeySet();

  private final ContextInternal context;
  private final BlockingCalls calls;
  private final ProcessDevices devices;
  private final String forced;
  private final boolean hostChosen;
  private final int numaNode = NumaNode.ofThread();
  private volatile Selection selection;
  /** Devices to select from, without those of fallback providers. */
  private volatile List<Device> selected;
  private boolean withFallbacks;
  /** Subnets at the last {@link #checkSubnets}, by device. */
  private volatile Map<String, List<String>> subnets = Map.of();
  private final Set<Consumer<List<Device>>> listeners = new CopyOnWriteArraySet<>();
  /** Guarded by itself, like the next two fields. */
  private final Attempts searches = new Attempts(PAUSES);
  private long timer = -1;
  private boolean stopped;
  /** Open domains, also those of failed devices whose loops are not closed yet. */
  private final Set<Domain> domains = Collections.newSetFromMap(new IdentityHashMap<>());
  /** Guarded by {@code domains}. */
  private boolean released;

  /** @param hostChosen whether the user has chosen the address of this node's host */
  NodeDevices(ContextInternal context, ProcessDevices devices, String forced, boolean hostChosen) {
    this.context = context;
    this.calls = new BlockingCalls(context);
    this.devices = devices;
    this.forced = forced;
    this.hostChosen = hostChosen;
    select();
    checkSubnets();
    String faster = hostChosen ? null : fasterThanOfHost(ranked());
    if (faster != null && LOGGED.add(faster)) {
      LOG.info(faster);
    }
  }

  public Selection selection() {
    return selection;
  }

  /** Returns usable devices, best first. */
  public List<Device> ranked() {
    return selection.ranked();
  }

  /** Returns devices to listen on, best first. */
  List<Device> listening() {
    List<Device> found = select(devices.all()).ranked();
    return forced == null ? worthListening(found) : found;
  }

  /** Adds a listener for devices that are found later, and for changed subnets. Called on the node's event loop. */
  void addListener(Consumer<List<Device>> listener) {
    listeners.add(listener);
  }

  void removeListener(Consumer<List<Device>> listener) {
    listeners.remove(listener);
  }

  /** Searches later, and then again, while devices are temporarily missing, or if another node has found devices. */
  void searchLater() {
    synchronized (searches) {
      if (!stopped && (devices.mayFindMore() || devices.all() != selected)) {
        timer = context.setTimer(searches.pauseMillis(), id -> search());
      }
    }
  }

  private void search() {
    calls.onContext(() -> {
      List<Device> before = ranked();
      devices.findMore();
      select();
      return ranked().stream().filter(device -> !before.contains(device)).toList();
    }).onSuccess(this::found).onFailure(cause -> LOG.warn("The search for devices that were missing at the start failed; it will be "
      + "repeated", cause)).onComplete(done -> searchLater());
  }

  private void found(List<Device> more) {
    if (!more.isEmpty()) {
      LOG.info("Devices that were missing at the start can be used now: "
        + more.stream().map(Device::name).collect(Collectors.joining(", ")));
      listeners.forEach(listener -> listener.accept(more));
    }
  }

  /** Calls the listeners without a device if {@link Device#subnets} have changed. Blocks. */
  void checkSubnets() {
    Map<String, List<String>> now = ranked().stream().collect(Collectors.toMap(Device::name, Device::subnets, (one, other) -> one));
    Map<String, List<String>> before = subnets;
    subnets = now;
    if (before.entrySet().stream().anyMatch(each -> !each.getValue().equals(now.getOrDefault(each.getKey(), each.getValue())))) {
      context.runOnContext(v -> listeners.forEach(listener -> listener.accept(List.of())));
    }
  }

  void stopSearching() {
    synchronized (searches) {
      stopped = true;
      context.owner().cancelTimer(timer);
    }
  }

  private synchronized void select() {
    selected = devices.all();
    selection = select(withFallbacks ? Stream.concat(selected.stream(), devices.fallbackDevices().stream()).toList() : selected);
  }

  /** Removes devices for reliable datagrams over sockets if a network device with connected endpoints exists. */
  static List<Device> worthListening(List<Device> all) {
    boolean connected = all.stream().anyMatch(d -> d.reach() == Device.Reach.NETWORK && d.endpointType() == EndpointType.MSG);
    return all.stream().filter(d -> d.preference() != Device.Preference.RDM || !connected).toList();
  }

  /** Returns the best device that connects to a host and port, or null. */
  public Device byIp() {
    return ranked().stream().filter(NodeDevices::isByIp).findFirst().orElse(null);
  }

  static boolean isByIp(Device device) {
    return device.reach() == Device.Reach.NETWORK && device.endpointType() == EndpointType.MSG
      && device.capabilities().connectsBy(Connecting.LISTENER);
  }

  boolean has(String fabric) {
    return ranked().stream().anyMatch(device -> device.fabric().equals(fabric));
  }

  public Future<Device> named(String name) {
    return findNamed(Stream.of(name)).compose(v -> {
      Selection named = Selection.of(Requirements.BASIC.withFabric(name), ranked(), hostChosen, numaNode);
      return named.ranked().isEmpty() ? failUnavailable(name) : Future.succeededFuture(named.ranked().getFirst());
    });
  }

  <T> Future<T> failUnavailable(String name) {
    return calls.onContext(() -> {
      ProcessDevices all = devices.everything();
      throw all.noUsableDevice(name, select(all.all()));
    });
  }

  boolean hasFallbacks() {
    return devices.hasFallbacks();
  }

  Future<Void> findFallbacks() {
    return calls.onContext(() -> {
      synchronized (this) {
        withFallbacks = true;
      }
      select();
      return null;
    });
  }

  /** Searches devices of fallback providers if one of the names matches no known device or fabric. */
  Future<Void> findNamed(Stream<String> names) {
    return hasFallbacks() && names.anyMatch(name -> ranked().stream().noneMatch(d -> d.name().equals(name) || d.fabric().equals(name)))
      ? findFallbacks() : Future.succeededFuture();
  }

  /** Returns all devices, including those that a forced fabric excludes, and fabrics that cannot be used. */
  public Future<List<FabricInfo>> everything() {
    return calls.onContext(() -> {
      ProcessDevices all = devices.everything();
      Selection found = select(all.all());
      return Stream.of(found.ranked().stream().map(device -> info(device, List.of())),
        found.refused().stream().map(refusal -> info(refusal.device(), refusal.missed())),
        all.unavailable().stream().map(missing -> new FabricInfo(missing.what(), missing.what(), "", List.of(missing.reason()
          + (missing.remedy().isEmpty() ? "" : " — " + missing.remedy())))))
        .flatMap(each -> each).toList();
    });
  }

  private static FabricInfo info(Device device, List<String> missing) {
    return new FabricInfo(device.name(), device.fabric(), device.provider(), missing);
  }

  private Selection select(List<Device> from) {
    return Selection.of(Requirements.BASIC.withFabric(forced), from, hostChosen, numaNode);
  }

  /** Returns a text if an adapter is before that with the address of the cluster's host, because it is faster; otherwise null. */
  static String fasterThanOfHost(List<Device> ranked) {
    Device host = ranked.stream().filter(Device::hasHostAddress).findFirst().orElse(null);
    Device first = ranked.stream().filter(device -> host != null && device.preference() == host.preference()).findFirst().orElse(host);
    return first == host || first.speed() <= host.speed() ? null
      : first.name() + " is used before " + host.name() + ", which is slower, but has the address of the cluster's "
        + "host. To use " + host.name() + " first, set that address by RdmaOptions.setHost";
  }

  /** Returns the open domain of a device. Opens the device if necessary, also after it failed. Blocks. */
  public Domain acquire(Device device) {
    synchronized (domains) {
      if (released) {
        throw Node.closed();
      }
      Domain known = domains.stream().filter(open -> open.device().equals(device) && !open.isLost()).findFirst().orElse(null);
      if (known == null) {
        known = devices.acquire(device);
        domains.add(known);
      }
      return known;
    }
  }

  /** Closes the domain of a failed device. Called after its loops are closed. Blocks. */
  void releaseLost(Domain domain) {
    synchronized (domains) {
      if (domains.remove(domain)) {
        devices.release(domain);
      }
    }
  }

  void release() {
    synchronized (domains) {
      released = true;
      domains.forEach(devices::release);
      domains.clear();
    }
  }
}
