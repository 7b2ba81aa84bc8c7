package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CapabilitiesBuilder;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Waiting;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;

/** Port of a device, with its GID and addresses. */
final class VerbsDevice implements Device {
  /** More are rarely used, and each occupies room in every work request. */
  private static final int MOST_ELEMENTS = 30;
  /** Inline bytes that every known device has; the domain finds the actual number. */
  private static final int LEAST_INLINE = 64;

  final IbVerbs verbs;
  final Manager manager;
  final long pointer;
  final String ibName;
  final DeviceAttributes attributes;
  final Port port;
  /** Null on InfiniBand and iWARP devices without a GID. */
  final Gid gid;
  final List<InetAddress> addresses;
  final DiscoveryOptions options;

  VerbsDevice(IbVerbs verbs, Manager manager, long pointer, String ibName, DeviceAttributes attributes, Port port, Gid gid,
    List<InetAddress> addresses, DiscoveryOptions options) {
    this.verbs = verbs;
    this.manager = manager;
    this.pointer = pointer;
    this.ibName = ibName;
    this.attributes = attributes;
    this.port = port;
    this.gid = gid;
    this.addresses = List.copyOf(addresses);
    this.options = options;
  }

  @Override
  public String provider() {
    return VerbsProvider.NAME;
  }

  @Override
  public String name() {
    return "verbs:" + ibName;
  }

  @Override
  public String fabric() {
    if (attributes.iwarp()) {
      return "verbs-iwarp";
    }
    if (port.link() == VerbsLayout.LINK_INFINIBAND) {
      return "verbs-ib" + (gid == null ? "" : ':' + gid.prefix());
    }
    return gid.type() == VerbsLayout.GID_TYPE_ROCE_V2 ? "verbs-rocev2" : "verbs-rocev1";
  }

  @Override
  public EndpointType endpointType() {
    return EndpointType.MSG;
  }

  @Override
  public Reach reach() {
    return Reach.NETWORK;
  }

  @Override
  public int numaNode() {
    return Placement.nodeOf(this);
  }

  @Override
  public Preference preference() {
    return Preference.RDMA_HARDWARE;
  }

  @Override
  public Capabilities capabilities() {
    boolean iwarp = attributes.iwarp();
    CapabilitiesBuilder builder = Capabilities.builder()
      // iWARP delivers in order but may place writes in any order; RC of InfiniBand and RoCE does both in order
      .orders(iwarp ? Set.of(Capabilities.Order.SEND_AFTER_SEND, Capabilities.Order.SEND_AFTER_WRITE)
        : Set.of(Capabilities.Order.values()))
      .immediateBits(iwarp ? 0 : Integer.SIZE)
      .immediateConsumesReceive(!iwarp)
      .sendCompletion(iwarp ? Capabilities.SendCompletion.LOCAL : Capabilities.SendCompletion.REMOTE)
      .noReceive(iwarp ? Capabilities.NoReceive.DISCONNECTS : Capabilities.NoReceive.WAITS)
      .keyMode(Capabilities.KeyMode.PROVIDER)
      .addressBase(Capabilities.AddressBase.VIRTUAL)
      .progress(Capabilities.Progress.AUTOMATIC)
      .peerFailureEvents(true)
      .waiting(Waiting.FD)
      .sharedReceive(attributes.maxSharedReceives() > 0)
      .pinned(true)
      .connecting(connecting(iwarp));
    if (!iwarp) {
      builder.add(Operation.SEND_IMMEDIATE, Operation.WRITE_IMMEDIATE);
    }
    if (attributes.atomics()) {
      builder.add(Operation.FETCH_ADD, Operation.COMPARE_SWAP);
    }
    return builder.build();
  }

  private Set<Capabilities.Connecting> connecting(boolean iwarp) {
    return iwarp ? Set.of(Capabilities.Connecting.LISTENER) : manager.isUsable() ? Set.of(Capabilities.Connecting.values())
      : Set.of(Capabilities.Connecting.EXCHANGE);
  }

  @Override
  public Limits limits() {
    return limits(LEAST_INLINE);
  }

  Limits limits(int inlineSize) {
    int receives = attributes.maxSharedReceives() == 0 ? attributes.maxWorkRequests()
      : Math.min(attributes.maxWorkRequests(), attributes.maxSharedReceives());
    return new Limits(Math.min(port.maxMessage(), Integer.MAX_VALUE), Math.min(port.maxMessage(), Integer.toUnsignedLong(-1)), inlineSize,
      attributes.maxWorkRequests(), receives, Math.min(attributes.maxScatterGather(), MOST_ELEMENTS),
      Math.min(attributes.readsAsTarget(), attributes.readsAsInitiator()), CmPrivateData.MOST,
      attributes.maxRegionSize(), attributes.maxRegions(), attributes.maxCompletions(), Integer.BYTES);
  }

  @Override
  public Domain open() {
    return new VerbsDomain(this);
  }

  /** Returns an address of a family, or null if it has none. */
  InetAddress address(boolean ipv4) {
    if (addresses.contains(options.host()) && options.host() instanceof Inet4Address == ipv4) {
      return options.host();
    }
    return addresses.stream().filter(address -> address instanceof Inet4Address == ipv4).findFirst().orElse(null);
  }

  /** Returns the default address for listening and connecting, or null if it has none. */
  InetAddress defaultAddress() {
    if (addresses.contains(options.host())) {
      return options.host();
    }
    return addresses.isEmpty() ? null : addresses.getFirst();
  }

  @Override
  public String toString() {
    return name() + " port " + port.number() + (gid == null ? "" : ", " + gid) + ", addresses " + addresses;
  }
}
