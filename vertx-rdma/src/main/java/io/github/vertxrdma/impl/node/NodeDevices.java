package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.FabricInfo;
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
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Devices that a node may use, listens on, and has opened. Thread-safe. */
public final class NodeDevices {
  private final BlockingCalls calls;
  private final ProcessDevices devices;
  private final String forced;
  private final int numaNode = NumaNode.ofThread();
  private volatile Selection selection;
  /** Devices to select from, without those of fallback providers. */
  private volatile List<Device> selected;
  private boolean withFallbacks;
  private final Map<Device, Domain> acquired = new HashMap<>();
  /** Domains of failed devices whose loops are not closed yet. Guarded by {@code acquired}. */
  private final Map<Domain, Device> lost = new IdentityHashMap<>();
  /** Guarded by {@code acquired}. */
  private boolean released;

  NodeDevices(ContextInternal context, ProcessDevices devices, String forced) {
    this.calls = new BlockingCalls(context);
    this.devices = devices;
    this.forced = forced;
    select();
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

  /** Returns whether devices are temporarily missing, or another node has found devices. */
  boolean mayFindMore() {
    return devices.mayFindMore() || devices.all() != selected;
  }

  Future<List<Device>> findMore() {
    return calls.onContext(() -> {
      List<Device> before = ranked();
      devices.findMore();
      select();
      return ranked().stream().filter(device -> !before.contains(device)).toList();
    });
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
      Selection named = Selection.of(Requirements.BASIC.withFabric(name), ranked(), numaNode);
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
    return Selection.of(Requirements.BASIC.withFabric(forced), from, numaNode);
  }

  /** Returns the open domain of a device. Opens the device if necessary, also after it failed. Blocks. */
  public Domain acquire(Device device) {
    synchronized (acquired) {
      if (released) {
        throw Node.closed();
      }
      Domain known = acquired.get(device);
      if (known == null || known.isLost()) {
        Domain opened = devices.acquire(device);
        if (known != null) {
          lost.put(known, device);
        }
        acquired.put(device, opened);
        return opened;
      }
      return known;
    }
  }

  /** Closes the domain of a failed device. Called after its loops are closed. Blocks. */
  void releaseLost(Domain domain) {
    synchronized (acquired) {
      Device device = lost.remove(domain);
      if (device == null) {
        device = domain.device();
        if (!acquired.remove(device, domain)) {
          return;
        }
      }
      devices.release(device, domain);
    }
  }

  void release() {
    synchronized (acquired) {
      released = true;
      acquired.forEach(devices::release);
      acquired.clear();
      lost.forEach((domain, device) -> devices.release(device, domain));
      lost.clear();
    }
  }
}
