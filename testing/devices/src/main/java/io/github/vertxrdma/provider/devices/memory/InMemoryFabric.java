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
 * An in-memory fabric. Addresses and remote keys are valid within one fabric, so that tests on fabrics with different names do not meet.
 * Addresses are names such as {@code "fabric:port"}. Thread-safe.
 */
public final class InMemoryFabric {
  /** Name of the default fabric. */
  public static final String DEFAULT = "memory";

  /** Default capabilities of the device with connected endpoints. */
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

  /** Default limits of the device with connected endpoints. */
  public static final Limits LIMITS = new Limits(64 << 20, 1L << 40, 256, 4096, 1 << 16, 8, 64, 56, Long.MAX_VALUE, 1 << 20, 1 << 20, 8);

  /** Format of the addresses of endpoints that are connected by an exchange. */
  static final String EXCHANGED = "memory-end";

  private static final Map<String, InMemoryFabric> NAMED = new ConcurrentHashMap<>();

  private final String name;
  private final InMemoryDevice device;
  private final InMemoryRdmDevice rdmDevice;
  private final Map<EndpointAddress, InMemoryRdmEndpoint> datagrams = new ConcurrentHashMap<>();
  /** Endpoints that were made to be connected by an exchange, by their addresses. */
  private final Map<EndpointAddress, InMemoryEndpoint> exchanged = new ConcurrentHashMap<>();
  private final Map<EndpointAddress, InMemoryListener> listeners = new ConcurrentHashMap<>();
  /** Regions by their secrets. */
  private final Map<Long, InMemoryRegion> regions = new ConcurrentHashMap<>();
  private volatile List<Device> found;
  private final AtomicInteger ports = new AtomicInteger(1 << 16);
  private final AtomicLong secrets = new AtomicLong();
  private final AtomicLong regionBytes = new AtomicLong();
  final AtomicInteger domains = new AtomicInteger();
  final AtomicInteger queues = new AtomicInteger();
  final AtomicInteger endpoints = new AtomicInteger();

  private final AtomicInteger domainNumbers = new AtomicInteger();
  /** Endpoints that are not closed. */
  private final Set<InMemoryEndpoint> living = ConcurrentHashMap.newKeySet();
  /** Pairs of nodes that do not reach each other. */
  private final Set<Set<String>> cuts = ConcurrentHashMap.newKeySet();
  /** Nodes that reach no other node. */
  private final Set<String> alone = ConcurrentHashMap.newKeySet();
  private volatile long delayNanos;
  /** The courier of the fabric. Null if everything is handed over at once. */
  private final Courier courier;

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

  /** Returns the fabric of a name in this process. The first call creates it. */
  public static InMemoryFabric named(String name) {
    return NAMED.computeIfAbsent(name, n -> new InMemoryFabric(n, CAPABILITIES, LIMITS, null));
  }

  /**
   * Creates a fabric that discovery does not find. Of the capabilities and limits the fabric implements:
   * <ul>
   * <li>waiting, by wake-ups or not at all;
   * <li>immediates: their bits, and whether they consume a receive;
   * <li>the effect of a message without a receive;
   * <li>ways to connect, operations, and all limits.
   * </ul>
   */
  public static InMemoryFabric create(String name, Capabilities capabilities, Limits limits) {
    return new InMemoryFabric(name, capabilities, limits, null);
  }

  /**
   * Creates a fabric like {@link #create(String, Capabilities, Limits)}, with a courier that carries all traffic, in the one thread of the
   * courier. The courier keeps the promised orders.
   */
  public static InMemoryFabric create(String name, Capabilities capabilities, Limits limits, Courier courier) {
    return new InMemoryFabric(name, capabilities, limits, courier);
  }

  /** Forgets a named fabric. The next use of the name creates a new one. */
  public static void forget(String name) {
    NAMED.remove(name);
  }

  public String name() {
    return name;
  }

  /** Returns the device with connected endpoints. The names of the device and of its fabric are the name of this fabric. */
  public Device device() {
    return device;
  }

  /**
   * Returns the device with connectionless endpoints. The names of the device and of its fabric are the name of this fabric and {@code
   * -rdm}.
   */
  public RdmDevice rdmDevice() {
    return rdmDevice;
  }

  /**
   * Wraps both devices in what discovery finds from now on, so that the tested code uses the wrappers: {@code fabric.inFront(d ->
   * StrictDevice.over(d, d.name()))}.
   */
  public void inFront(UnaryOperator<Device> front) {
    found = List.of(front.apply(device), front.apply(rdmDevice));
  }

  /** Returns the devices that discovery finds for a node. A node that has a name, by the setting {@code memory.node}, can be cut off. */
  List<Device> found(String node) {
    return node.isEmpty() ? found : List.of(new InMemoryDevice(this, EndpointType.MSG, name, device.capabilities(), device.limits(), node));
  }

  /** Ends all connections between two named nodes at both ends, and refuses new ones until {@link #join}. Any thread. */
  public void cut(String node, String other) {
    cuts.add(Set.of(node, other));
    endWhatIsCut();
  }

  /** Ends all connections between a named node and all others, and refuses new ones for ever. Any thread. */
  public void cut(String node) {
    alone.add(node);
    endWhatIsCut();
  }

  private void endWhatIsCut() {
    living.forEach(endpoint -> endpoint.queue.offer(endpoint::endIfCut));
  }

  /** Lets two nodes connect again. Any thread. */
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
   * Delays what one end sends the other from now on: messages and the steps of connecting, each way. They stay in order. Reads, writes and
   * atomics are executed at once. Any thread.
   */
  public void delay(Duration time) {
    delayNanos = time.toNanos();
  }

  long delayNanos() {
    return delayNanos;
  }

  /** Returns the courier, or null if everything is handed over at once. */
  Courier courier() {
    return courier;
  }

  long nanoTime() {
    return courier == null ? System.nanoTime() : courier.nanoTime();
  }

  int nextDomain() {
    return domainNumbers.getAndIncrement();
  }

  /** Returns the numbers of open objects and of registered bytes. Empty if nothing is open. */
  public Map<String, Long> open() {
    Map<String, Long> open = new TreeMap<>();
    put(open, "domains", domains.get());
    put(open, "completion queues", queues.get());
    put(open, "endpoints", endpoints.get());
    put(open, "listeners", listeners.size());
    put(open, "regions", regions.size());
    put(open, "registered bytes", regionBytes.get());
    return open;
  }

  /** Returns the number of endpoints that are not closed. */
  public int openEndpoints() {
    return endpoints.get();
  }

  /** Returns the number of registered memory regions. */
  public int openRegions() {
    return regions.size();
  }

  /** Returns the number of registered bytes. */
  public long registeredBytes() {
    return regionBytes.get();
  }

  private static void put(Map<String, Long> open, String what, long count) {
    if (count != 0) {
      open.put(what, count);
    }
  }

  /** Returns another secret each time, in an order that is the same in each run. */
  long nextSecret() {
    // Odd multiples walk through all numbers without repeating, and neighbours are not neighbours: a forged key misses.
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

  /** Returns the open region of that secret; null if there is none. */
  InMemoryRegion region(Long secret) {
    return regions.get(secret);
  }

  EndpointAddress bind(EndpointAddress wanted, InMemoryListener listener) {
    return bind(listeners, wanted, listener);
  }

  EndpointAddress bind(EndpointAddress wanted, InMemoryRdmEndpoint endpoint) {
    return bind(datagrams, wanted, endpoint);
  }

  /** Binds the requested address, or a free one if the address is null or has port 0. @return the bound address */
  private <T> EndpointAddress bind(Map<EndpointAddress, T> bound, EndpointAddress wanted, T what) {
    if (wanted == null || wanted.toString().endsWith(":0")) {
      String host = wanted == null ? name : wanted.toString().substring(0, wanted.toString().length() - 2);
      EndpointAddress free;
      do {
        free = EndpointAddress.of(host + ':' + ports.getAndIncrement());
      } while (bound.putIfAbsent(free, what) != null);
      return free;
    }
    if (!wanted.format().equals(EndpointAddress.STRING)) {
      throw new ProviderException(ProviderException.Reason.UNREACHABLE, name + ": " + wanted
        + " is not a name — addresses of the in-memory fabric are like '" + name + ":1'");
    }
    if (bound.putIfAbsent(wanted, what) != null) {
      throw new ProviderException(ProviderException.Reason.ADDRESS_IN_USE, name + ": " + wanted
        + " is in use in this process — choose another port, or 0 for any");
    }
    return wanted;
  }

  EndpointAddress ephemeral() {
    return EndpointAddress.of(name + ':' + ports.getAndIncrement());
  }

  /** Returns a free address for an endpoint that is to be connected by an exchange. */
  EndpointAddress exchange(InMemoryEndpoint endpoint) {
    EndpointAddress address = EndpointAddress.of(EXCHANGED, ephemeral().bytes());
    exchanged.put(address, endpoint);
    return address;
  }

  void unbind(EndpointAddress address, InMemoryEndpoint endpoint) {
    exchanged.remove(address, endpoint);
  }

  /** Returns the endpoint of an exchange with an address. Null if it is closed, or of another process. */
  InMemoryEndpoint exchanged(EndpointAddress address) {
    return exchanged.get(address);
  }

  void unbind(EndpointAddress address, InMemoryListener listener) {
    listeners.remove(address, listener);
  }

  void unbind(EndpointAddress address, InMemoryRdmEndpoint endpoint) {
    datagrams.remove(address, endpoint);
  }

  /** Returns the datagram endpoint with an address. Null if there is none. */
  InMemoryRdmEndpoint datagram(EndpointAddress address) {
    return datagrams.get(address);
  }

  InMemoryListener listener(EndpointAddress address) {
    return listeners.get(address);
  }
}
