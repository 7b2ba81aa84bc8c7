package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
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

/** The devices that a node uses, best first, those among them that it listens on, and the ones it has opened. Thread-safe. */
public final class NodeDevices {
  private final ContextInternal context;
  private final Devices devices;
  private final String forced;
  private final List<Device> listening;
  private volatile Selection selection;
  private final Map<Device, Domain> acquired = new HashMap<>();
  /** Nothing more is acquired; guarded by what was. */
  private boolean released;

  /** @param forced the one fabric or device to use, null for any */
  NodeDevices(ContextInternal context, Devices devices, String forced) {
    this.context = context;
    this.devices = devices;
    this.forced = forced;
    this.selection = select(devices.all());
    this.listening = forced == null ? worthListening(ranked()) : ranked();
  }

  /** Devices that can be used, best first, and why others that were looked at cannot. */
  public Selection selection() {
    return selection;
  }

  /** Devices that can be used, best first. */
  public List<Device> ranked() {
    return selection.ranked();
  }

  /** The devices it is worth to listen on; one that is forced alone. */
  List<Device> listening() {
    return listening;
  }

  /** Returns the devices, without reliable datagrams over sockets if a device of the network has connected endpoints. */
  static List<Device> worthListening(List<Device> all) {
    boolean connected = all.stream().anyMatch(d -> d.reach() == Device.Reach.NETWORK && d.endpointType() == EndpointType.MSG);
    return all.stream().filter(d -> d.preference() != Device.Preference.RDM || !connected).toList();
  }

  /** The best connected device that is reached by host and port; null if there is none. */
  public Device byIp() {
    return ranked().stream().filter(NodeDevices::isByIp).findFirst().orElse(null);
  }

  /** Whether a device is connected and reached by host and port. */
  static boolean isByIp(Device device) {
    return device.reach() == Device.Reach.NETWORK && device.endpointType() == EndpointType.MSG
      && device.capabilities().connectsBy(Connecting.LISTENER);
  }

  /** Whether one of them is on a fabric. */
  boolean has(String fabric) {
    return ranked().stream().anyMatch(device -> device.fabric().equals(fabric));
  }

  /** The best device that has a name, or whose fabric has it. */
  public Future<Device> named(String name) {
    return look(Stream.of(name)).compose(v -> {
      Selection named = Selection.of(Requirements.BASIC.withFabric(name), ranked());
      return named.ranked().isEmpty() ? without(name) : Future.succeededFuture(named.ranked().getFirst());
    });
  }

  /**
   * Fails with what there is instead of a fabric or device that is forced, if it is not here; else with another cause.
   *
   * @param forced null for any
   */
  <T> Future<T> refuse(String forced, RdmaException cause) {
    return forced == null ? Future.failedFuture(cause) : named(forced).compose(there -> Future.failedFuture(cause));
  }

  /** Fails with what there is instead of a fabric or device. */
  <T> Future<T> without(String name) {
    return context.executeBlockingInternal(() -> {
      Devices there = devices.everything();
      throw there.none(name, select(there.all()));
    });
  }

  // ---- those that were not looked for

  /** Whether there may be devices that were not looked for, since this node has others which do the same. */
  boolean hasFallbacks() {
    return devices.hasFallbacks();
  }

  /** Looks for them, the first time: from then on they are among the others. */
  Future<Void> findFallbacks() {
    return context.executeBlockingInternal(() -> {
      selection = select(Stream.concat(devices.all().stream(), devices.ofFallbacks().stream()).toList());
      return null;
    });
  }

  /** Looks for them if no other device has one of these names, or is on a fabric of that name. */
  Future<Void> look(Stream<String> names) {
    return hasFallbacks() && names.anyMatch(name -> ranked().stream().noneMatch(d -> d.name().equals(name) || d.fabric().equals(name)))
      ? findFallbacks() : Future.succeededFuture();
  }

  /** The devices of this machine, those too that were not looked for because another one is forced, which cannot be used. */
  public Future<Selection> everything() {
    return context.executeBlockingInternal(() -> select(devices.everything().all()));
  }

  private Selection select(List<Device> from) {
    return Selection.of(Requirements.BASIC.withFabric(forced), from);
  }

  // ---- those that are open

  /** Opens a device, the first time; blocks. It stays open as long as the node. */
  public Domain acquire(Device device) {
    synchronized (acquired) {
      if (released) {
        throw Node.closed();
      }
      return acquired.computeIfAbsent(device, devices::acquire);
    }
  }

  /** Gives back those that were opened. Blocks. */
  void release() {
    synchronized (acquired) {
      released = true;
      acquired.keySet().forEach(devices::release);
      acquired.clear();
    }
  }
}
