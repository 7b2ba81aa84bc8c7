package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.FabricInfo;
import io.github.vertxrdma.RdmaException;
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
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The devices that a node may use, listens on, and has opened. Thread-safe. */
public final class NodeDevices {
  private final ContextInternal context;
  private final ProcessDevices devices;
  private final String forced;
  private final int numaNode = NumaNode.ofThread();
  private final List<Device> listening;
  private volatile Selection selection;
  private final Map<Device, Domain> acquired = new HashMap<>();
  /** Guarded by {@code acquired}. */
  private boolean released;

  NodeDevices(ContextInternal context, ProcessDevices devices, String forced) {
    this.context = context;
    this.devices = devices;
    this.forced = forced;
    this.selection = select(devices.all());
    this.listening = forced == null ? worthListening(ranked()) : ranked();
  }

  public Selection selection() {
    return selection;
  }

  /** Returns usable devices, best first. */
  public List<Device> ranked() {
    return selection.ranked();
  }

  List<Device> listening() {
    return listening;
  }

  /** Removes reliable datagrams over sockets if a network device has connected endpoints. */
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

  /** Fails with the cause, or because a forced fabric or device is missing. */
  <T> Future<T> failForced(String forced, RdmaException cause) {
    return forced == null ? Future.failedFuture(cause) : named(forced).compose(found -> Future.failedFuture(cause));
  }

  /** Lists the available devices in the error. */
  <T> Future<T> failUnavailable(String name) {
    return context.executeBlockingInternal(() -> {
      ProcessDevices all = devices.everything();
      throw all.noUsableDevice(name, select(all.all()));
    });
  }

  // ---- fallbacks

  boolean hasFallbacks() {
    return devices.hasFallbacks();
  }

  Future<Void> findFallbacks() {
    return context.executeBlockingInternal(() -> {
      selection = select(Stream.concat(devices.all().stream(), devices.fallbackDevices().stream()).toList());
      return null;
    });
  }

  /** Asks fallback providers if no device has one of these names or fabrics. */
  Future<Void> findNamed(Stream<String> names) {
    return hasFallbacks() && names.anyMatch(name -> ranked().stream().noneMatch(d -> d.name().equals(name) || d.fabric().equals(name)))
      ? findFallbacks() : Future.succeededFuture();
  }

  /** Returns all devices, also those that a forced fabric excludes, and then what a provider has looked for and cannot use. */
  public Future<List<FabricInfo>> everything() {
    return context.executeBlockingInternal(() -> {
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

  // ---- open devices

  /** Opens a device. It stays open until the node closes. Blocks. */
  public Domain acquire(Device device) {
    synchronized (acquired) {
      if (released) {
        throw Node.closed();
      }
      return acquired.computeIfAbsent(device, devices::acquire);
    }
  }

  void release() {
    synchronized (acquired) {
      released = true;
      acquired.forEach(devices::release);
      acquired.clear();
    }
  }
}
