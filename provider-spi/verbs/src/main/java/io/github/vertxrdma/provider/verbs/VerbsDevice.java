package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CapabilitiesBuilder;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.IpSubnet;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.ffi.KernelDevices;
import io.github.vertxrdma.provider.ffi.Memory;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

final class VerbsDevice implements Device {
  /** Vendor of the driver hfi1, which executes verbs in the kernel; drivers/infiniband/hw/hfi1/verbs.c of Linux. */
  private static final int OMNI_PATH = 0x1175;
  private static final String ROCE_V1 = "verbs-rocev1";
  /** Maximum number of scatter/gather elements. */
  private static final int MOST_ELEMENTS = 30;
  /** Inline limit in bytes that every known device has. */
  private static final int LEAST_INLINE = 64;

  /**
   * Selects the regions with IBV_ACCESS_RELAXED_ORDERING; setting {@code verbs.relaxed-ordering}. A completion still follows earlier
   * writes.
   */
  enum Ordering {
    OFF,
    /** Regions that peers do not write to. */
    OWN,
    /** All regions. A peer's later write may be visible before an earlier one. */
    ALL;

    static Ordering of(DiscoveryOptions options) {
      String wanted = options.setting("verbs.relaxed-ordering", "own");
      return switch (wanted) {
        case "off" -> OFF;
        case "own" -> OWN;
        case "all" -> ALL;
        default -> throw new ProviderException(ProviderException.Reason.INVALID, "verbs.relaxed-ordering is '" + wanted
          + "', which is unknown. Use 'off', 'own' or 'all'");
      };
    }

    boolean isRelaxed(boolean peersWrite) {
      return this == ALL || this == OWN && !peersWrite;
    }
  }

  final IbVerbs verbs;
  final Manager manager;
  final long pointer;
  final String ibName;
  private final String name;
  final DeviceAttributes attributes;
  /** Port attributes at discovery. */
  final Port port;
  /** GID at discovery; null on InfiniBand and iWARP devices without one. */
  final Gid gid;
  final List<InetAddress> addresses;
  final DiscoveryOptions options;
  final Ordering ordering;
  private final List<IpSubnet> subnets;
  final String sysfs;
  private volatile List<Path> counterFolders;

  VerbsDevice(IbVerbs verbs, Manager manager, long pointer, String ibName, String portName, DeviceAttributes attributes, Port port, Gid gid,
    List<InetAddress> addresses, DiscoveryOptions options) {
    this.verbs = verbs;
    this.manager = manager;
    this.pointer = pointer;
    this.ibName = ibName;
    name = "verbs:" + portName;
    this.attributes = attributes;
    this.port = port;
    this.gid = gid;
    this.addresses = List.copyOf(addresses);
    this.options = options;
    ordering = Ordering.of(options);
    subnets = IpSubnet.of(addresses);
    sysfs = Memory.getString(pointer + VerbsLayout.DEVICE_SYSFS);
  }

  static Gid chooseGid(List<Gid> gids, List<InetAddress> addresses, DiscoveryOptions options) {
    String wanted = options.setting("verbs.gid-index", null);
    if (wanted != null) {
      return gids.stream().filter(gid -> wanted.equals(Integer.toString(gid.index()))).findFirst().orElse(null);
    }
    return Gid.choose(gids, addresses.contains(options.host()) ? options.host() : addresses.isEmpty() ? null : addresses.getFirst());
  }

  @Override
  public String provider() {
    return VerbsProvider.NAME;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String fabric() {
    if (attributes.iwarp()) {
      return "verbs-iwarp";
    }
    if (port.link() == VerbsLayout.LINK_INFINIBAND) {
      return "verbs-ib" + (gid == null ? "" : ':' + gid.prefix());
    }
    return gid.type() == VerbsLayout.GID_TYPE_ROCE_V2 ? "verbs-rocev2" : ROCE_V1;
  }

  /** Returns the IP subnet for RoCE v1, otherwise an empty string. Routers do not forward RoCE v1, because it has no IP header. */
  @Override
  public String subnet() {
    if (!fabric().equals(ROCE_V1) || subnets.isEmpty()) {
      return "";
    }
    InetAddress host = options.host();
    return subnets.stream().filter(each -> addresses.contains(host) && each.contains(host)).findFirst().orElse(subnets.getFirst())
      .toString();
  }

  @Override
  public boolean isOnSubnet(EndpointAddress address) {
    return address.format().equals(EndpointAddress.INET)
      && subnets.stream().anyMatch(subnet -> subnet.contains(address.toInet().getAddress()));
  }

  @Override
  public boolean hasHostAddress() {
    return addresses.contains(options.host());
  }

  @Override
  public long speed() {
    return port.speed();
  }

  @Override
  public List<Path> counterFolders() {
    if (counterFolders == null) {
      counterFolders = KernelDevices.counterFolders(Path.of(sysfs), port.number());
    }
    return counterFolders;
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
    return KernelDevices.numaNode(Path.of(sysfs));
  }

  @Override
  public Preference preference() {
    return attributes.vendor() == OMNI_PATH ? Preference.RDMA_SOFTWARE : Preference.RDMA_HARDWARE;
  }

  @Override
  public Capabilities capabilities() {
    boolean iwarp = attributes.iwarp();
    CapabilitiesBuilder builder = Capabilities.builder()
      // iWARP delivers messages in order but may place writes in any order. InfiniBand and RoCE do both in order.
      .orders(iwarp ? Set.of(Capabilities.Order.SEND_AFTER_SEND, Capabilities.Order.SEND_AFTER_WRITE)
        : ordering == Ordering.ALL ? EnumSet.complementOf(EnumSet.of(Capabilities.Order.WRITE_AFTER_WRITE))
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
    return iwarp ? Set.of(Capabilities.Connecting.LISTENER) : manager.isUsable() && !addresses.isEmpty()
      ? Set.of(Capabilities.Connecting.values()) : Set.of(Capabilities.Connecting.EXCHANGE);
  }

  @Override
  public Limits limits() {
    return limits(LEAST_INLINE);
  }

  Limits limits(int inlineSize) {
    return new Limits(Math.min(port.maxMessage(), Integer.MAX_VALUE), Math.min(port.maxMessage(), Integer.toUnsignedLong(-1)), inlineSize,
      attributes.maxWorkRequests(), attributes.maxWorkRequests(), Math.min(attributes.maxScatterGather(), MOST_ELEMENTS),
      Math.min(attributes.readsAsTarget(), attributes.readsAsInitiator()), CmPrivateData.MOST,
      attributes.maxRegionSize(), attributes.maxRegions(), attributes.maxCompletions(), Integer.BYTES);
  }

  @Override
  public Domain open() {
    return new VerbsDomain(this);
  }

  boolean isAt(AddressSearch.BoundPort bound) {
    return new AddressSearch.BoundPort(ibName, port.number()).equals(bound);
  }

  InetAddress address(boolean ipv4) {
    if (addresses.contains(options.host()) && options.host() instanceof Inet4Address == ipv4) {
      return options.host();
    }
    return addresses.stream().filter(address -> address instanceof Inet4Address == ipv4).findFirst().orElse(null);
  }

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
