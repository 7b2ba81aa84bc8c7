package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.rdm.RdmDevice;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/**
 * An in-memory RDMA fabric for tests. Addresses, such as {@code "fabric:port"}, and remote keys are valid within one fabric, so tests with
 * different fabrics do not affect each other. Thread-safe.
 */
public final class InMemoryFabric {
  public static final String DEFAULT = "memory";

  public static final Capabilities CAPABILITIES = Capabilities.builder()
    .operations(EnumSet.complementOf(EnumSet.of(Operation.REMOTE_WRITE)))
    .orders(EnumSet.allOf(Capabilities.Order.class))
    .immediateBits(64)
    .deliveryComplete(true)
    .sendCompletion(Capabilities.SendCompletion.REMOTE)
    .noReceive(Capabilities.NoReceive.WAITS)
    .keyMode(Capabilities.KeyMode.PROVIDER)
    .progress(Capabilities.Progress.AUTOMATIC)
    .peerFailureEvents(true)
    .waiting(Waiting.WAKEUP)
    .sharedReceive(true)
    .connecting(EnumSet.allOf(Capabilities.Connecting.class))
    .build();

  public static final Limits LIMITS = new Limits(64 << 20, 1L << 40, 256, 4096, 1 << 16, 8, 64, 56, Long.MAX_VALUE, 1 << 20, 1 << 20, 8);

  static final String EXCHANGED = "memory-end";

  private static final Map<String, InMemoryFabric> NAMED = new ConcurrentHashMap<>();

  private final String name;
  private final InMemoryDevice device;
  private final InMemoryRdmDevice rdmDevice;
  final Map<EndpointAddress, InMemoryRdmEndpoint> datagrams = new ConcurrentHashMap<>();
  final Map<EndpointAddress, InMemoryEndpoint> exchanged = new ConcurrentHashMap<>();
  final Map<EndpointAddress, InMemoryListener> listeners = new ConcurrentHashMap<>();
  final Map<Long, InMemoryRegion> regions = new ConcurrentHashMap<>();
  private volatile List<Device> found;
  private final AtomicInteger ports = new AtomicInteger(1 << 16);
  private final AtomicLong secrets = new AtomicLong();
  private final AtomicLong regionBytes = new AtomicLong();
  final AtomicInteger domains = new AtomicInteger();
  final AtomicInteger queues = new AtomicInteger();
  final AtomicInteger endpoints = new AtomicInteger();

  final AtomicInteger domainNumbers = new AtomicInteger();
  private final Set<InMemoryEndpoint> living = ConcurrentHashMap.newKeySet();
  /** Pairs of nodes that cannot connect. */
  private final Set<Set<String>> cuts = ConcurrentHashMap.newKeySet();
  /** Nodes that can connect to no other node. */
  private final Set<String> alone = ConcurrentHashMap.newKeySet();
  final Courier courier;

  private InMemoryFabric(String name, Capabilities capabilities, Limits limits, Courier courier) {
    this.name = name;
    this.courier = courier;
    device = new InMemoryDevice(this, EndpointType.MSG, name, capabilities, limits, "");
    rdmDevice = new InMemoryRdmDevice(new InMemoryDevice(this, EndpointType.RDM, name + "-rdm",
      capabilities.toBuilder().sharedReceive(true).sharedReceiveOnly(true).peerFailureEvents(false).receivesInPlace(false)
        .connecting(Set.of(Capabilities.Connecting.LISTENER)).build(),
      limits, ""));
    found = List.of(device, rdmDevice);
  }

  public static InMemoryFabric named(String name) {
    return NAMED.computeIfAbsent(name, n -> new InMemoryFabric(n, CAPABILITIES, LIMITS, new DirectCourier()));
  }

  /**
   * Creates a fabric that discovery does not find. It implements these parts of the capabilities and limits:
   * <ul>
   * <li>waiting, by wake-ups or not at all;
   * <li>number of immediate bits, and whether immediates consume a receive;
   * <li>effect of a message without a receive;
   * <li>ways to connect, operations, and all limits.
   * </ul>
   */
  public static InMemoryFabric create(String name, Capabilities capabilities, Limits limits) {
    return new InMemoryFabric(name, capabilities, limits, new DirectCourier());
  }

  /** Creates a fabric whose traffic a courier carries on its thread. */
  public static InMemoryFabric create(String name, Capabilities capabilities, Limits limits, Courier courier) {
    return new InMemoryFabric(name, capabilities, limits, courier);
  }

  /** Removes a named fabric. The next use of the name creates a new one. */
  public static void forget(String name) {
    NAMED.remove(name);
  }

  public String name() {
    return name;
  }

  public Device device() {
    return device;
  }

  /** Returns the connectionless device, whose name and fabric have the suffix {@code -rdm}. */
  public RdmDevice rdmDevice() {
    return rdmDevice;
  }

  /** Wraps both devices for discovery, for example {@code fabric.inFront(d -> StrictDevice.over(d, d.name()))}. */
  public void inFront(UnaryOperator<Device> front) {
    found = List.of(front.apply(device), front.apply(rdmDevice));
  }

  /** Returns the devices for discovery. A node with the setting {@code memory.node} has only the connected device, and can be cut off. */
  List<Device> found(String node) {
    return node.isEmpty() ? found : List.of(new InMemoryDevice(this, EndpointType.MSG, name, device.capabilities(), device.limits(), node));
  }

  /** Ends connections between two nodes at both ends, and refuses new ones until {@link #join}. Thread-safe. */
  public void cut(String node, String other) {
    cuts.add(Set.of(node, other));
    endWhatIsCut();
  }

  /** Ends all connections of a node to others, and refuses new ones permanently. Thread-safe. */
  public void cut(String node) {
    alone.add(node);
    endWhatIsCut();
  }

  private void endWhatIsCut() {
    living.forEach(endpoint -> endpoint.queue.offer(endpoint::endIfCut));
  }

  /** Permits connections between two nodes again. Thread-safe. */
  public void join(String node, String other) {
    cuts.remove(Set.of(node, other));
  }

  boolean isCut(InMemoryDomain one, InMemoryDomain other) {
    String a = one.node();
    String b = other.node();
    return !(cuts.isEmpty() && alone.isEmpty()) && !a.equals(b) && (alone.contains(a) || alone.contains(b) || cuts.contains(Set.of(a, b)));
  }

  void opened(InMemoryEndpoint endpoint) {
    living.add(endpoint);
    endpoints.incrementAndGet();
  }

  void closed(InMemoryEndpoint endpoint) {
    living.remove(endpoint);
    endpoints.decrementAndGet();
  }

  /**
   * Delays messages and connection steps in each direction from now on, and keeps their order. Does not delay reads, writes and atomics.
   * Thread-safe.
   *
   * @throws IllegalStateException if a courier carries the traffic
   */
  public void delay(Duration time) {
    if (!(courier instanceof DirectCourier direct)) {
      throw new IllegalStateException(name + ": cannot delay the traffic: the courier of this fabric decides when it arrives");
    }
    direct.delay(time.toNanos());
  }

  public Map<String, Long> open() {
    Map<String, Long> open = new TreeMap<>(Map.of("domains", (long) domains.get(), "completion queues", (long) queues.get(), "endpoints",
      (long) endpoints.get(), "listeners", (long) listeners.size(), "regions", (long) regions.size(), "registered bytes",
      regionBytes.get()));
    open.values().removeIf(count -> count == 0);
    return open;
  }

  public int openEndpoints() {
    return endpoints.get();
  }

  public int openRegions() {
    return regions.size();
  }

  public long registeredBytes() {
    return regionBytes.get();
  }

  /** Returns the unique secret of a new key. Each run has the same sequence. */
  long nextSecret() {
    // Multiples of an odd number are unique modulo 2^64, and so far apart that a guessed key fails.
    return secrets.incrementAndGet() * 0x9E3779B97F4A7C15L;
  }

  void add(InMemoryRegion region) {
    regions.put(region.secret(), region);
    regionBytes.addAndGet(region.size());
  }

  void remove(InMemoryRegion region) {
    regions.remove(region.secret());
    regionBytes.addAndGet(-region.size());
  }

  /** Binds an object to an address. A free one is chosen if {@code wanted} is null or has port 0. */
  <T> EndpointAddress bind(Map<EndpointAddress, T> bound, EndpointAddress wanted, T what) {
    if (wanted == null || wanted.toString().endsWith(":0")) {
      String host = wanted == null ? name : wanted.toString().substring(0, wanted.toString().length() - 2);
      EndpointAddress free;
      do {
        free = EndpointAddress.of(host + ':' + ports.getAndIncrement());
      } while (bound.putIfAbsent(free, what) != null);
      return free;
    }
    if (!wanted.format().equals(EndpointAddress.STRING)) {
      throw new ProviderException(ProviderException.Reason.UNREACHABLE, name + ": cannot use the address " + wanted + ": addresses of "
        + "the in-memory fabric are like '" + name + ":1'");
    }
    if (bound.putIfAbsent(wanted, what) != null) {
      throw new ProviderException(ProviderException.Reason.ADDRESS_IN_USE, name + ": " + wanted
        + " is in use in this process. Choose another port, or 0 for any free port");
    }
    return wanted;
  }

  EndpointAddress ephemeral() {
    return EndpointAddress.of(name + ':' + ports.getAndIncrement());
  }

  EndpointAddress exchange(InMemoryEndpoint endpoint) {
    EndpointAddress address = EndpointAddress.of(EXCHANGED, ephemeral().bytes());
    exchanged.put(address, endpoint);
    return address;
  }
}
