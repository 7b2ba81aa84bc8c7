package io.github.vertxrdma;

import io.github.vertxrdma.base.Bounds;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.peers.EntryJson;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.annotations.GenIgnore;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Objects;

/** Options of a Vert.x's RDMA: devices, addresses, directory, and sizes of connections. */
@DataObject
@JsonGen(publicConverter = false)
public class RdmaOptions {
  public static final int DEFAULT_BUFFER_SIZE = 16 << 10;
  public static final int DEFAULT_DATA_CREDITS = 16;
  public static final int DEFAULT_CONTROL_CREDITS = 16;
  public static final int DEFAULT_FRAGMENT_SIZE = 256 << 10;
  public static final int DEFAULT_MAX_MESSAGE_SIZE = 64 << 20;
  public static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(10);
  public static final Duration DEFAULT_CLOSE_TIMEOUT = Duration.ofSeconds(10);
  public static final Duration DEFAULT_CLOSE_IDLE_TIMEOUT = Duration.ofSeconds(60);
  public static final int DEFAULT_CONTROL_PORT = 0;
  public static final int DEFAULT_CONTROL_PORT_COUNT = 1;
  public static final Duration DEFAULT_SUSPECT_TIMEOUT = Duration.ofSeconds(2);
  public static final Duration DEFAULT_DEAD_TIMEOUT = Duration.ofSeconds(40);
  public static final boolean DEFAULT_STATISTICS = true;
  public static final int DEFAULT_NOTIFY_INLINE_LIMIT = 1 << 10;
  public static final int DEFAULT_MAX_RDM_LOOPS = 4;
  public static final int DEFAULT_ZERO_COPY_BYTES = 16 << 20;
  public static final DeviceSpread DEFAULT_DEVICE_SPREAD = DeviceSpread.NONE;
  public static final int DEFAULT_REGION_SPLIT_SIZE = 0;
  /** Default of {@link #getMaxRegionLinks}. */
  public static final int DEFAULT_MAX_REGION_LINKS = 512;
  /** Minimum of {@link #getRegionSplitSize} other than 0. */
  public static final int MIN_REGION_SPLIT_SIZE = 64 << 10;

  private static final int MOST_CREDITS = 0xffff;

  private String name;
  private String fabric;
  private String host;
  private String secretFile;
  private DirectoryOptions directory = new DirectoryOptions();
  private JsonObject settings = new JsonObject();
  private int bufferSize = DEFAULT_BUFFER_SIZE;
  private int dataCredits = DEFAULT_DATA_CREDITS;
  private int controlCredits = DEFAULT_CONTROL_CREDITS;
  private int fragmentSize = DEFAULT_FRAGMENT_SIZE;
  private int maxMessageSize = DEFAULT_MAX_MESSAGE_SIZE;
  private Duration connectTimeout = DEFAULT_CONNECT_TIMEOUT;
  private Duration closeTimeout = DEFAULT_CLOSE_TIMEOUT;
  private Duration closeIdleTimeout = DEFAULT_CLOSE_IDLE_TIMEOUT;
  private int controlPort = DEFAULT_CONTROL_PORT;
  private int controlPortCount = DEFAULT_CONTROL_PORT_COUNT;
  private Duration suspectTimeout = DEFAULT_SUSPECT_TIMEOUT;
  private Duration deadTimeout = DEFAULT_DEAD_TIMEOUT;
  private boolean requireEncryption;
  private boolean statistics = DEFAULT_STATISTICS;
  private int notifyInlineLimit = DEFAULT_NOTIFY_INLINE_LIMIT;
  private int maxRdmLoops = DEFAULT_MAX_RDM_LOOPS;
  private int zeroCopyBytes = DEFAULT_ZERO_COPY_BYTES;
  private DeviceSpread deviceSpread = DEFAULT_DEVICE_SPREAD;
  private int regionSplitSize = DEFAULT_REGION_SPLIT_SIZE;
  private int maxRegionLinks = DEFAULT_MAX_REGION_LINKS;
  private RdmaAuthorizer authorizer = RdmaAuthorizer.GROUP;
  private String authorizerClass;

  public RdmaOptions() {
  }

  public RdmaOptions(RdmaOptions other) {
    this(other.toJson());
    authorizer = other.authorizer;
  }

  public RdmaOptions(JsonObject json) {
    RdmaOptionsConverter.fromJson(JsonKeys.known(RdmaOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    RdmaOptionsConverter.toJson(this, json);
    return json;
  }

  /**
   * Name of this node for people, in logs, errors and statistics. Need not be unique. Null for {@code -Dvertx.rdma.name} or
   * VERTX_RDMA_NAME, or otherwise the main class or jar with the process id, such as {@code Orders-4711}. As process 1, such as in a
   * container, null means the name of the host.
   */
  public String getName() {
    return name;
  }

  /** Sets the name: 1 to 255 characters without control characters. */
  public RdmaOptions setName(String name) {
    this.name = name == null ? null : EntryJson.name("node", name);
    return this;
  }

  /**
   * Fabric or device to use ({@code tcp}, {@code shm}, …), without falling back. Null to choose the best for each peer: the event bus and
   * streams then use TCP instead of fabrics that are sockets of the kernel.
   */
  public String getFabric() {
    return fabric;
  }

  public RdmaOptions setFabric(String fabric) {
    this.fabric = fabric;
    return this;
  }

  /** Literal local address to listen on; null for that of the cluster, or otherwise the loopback address. */
  public String getHost() {
    return host;
  }

  public RdmaOptions setHost(String host) {
    this.host = host;
    return this;
  }

  /**
   * File with the cluster secret; null for {@code -Dvertx.rdma.secret.file} or VERTX_RDMA_SECRET_FILE, VERTX_RDMA_SECRET, or otherwise a
   * secret of this user's processes on this host.
   */
  public String getSecretFile() {
    return secretFile;
  }

  public RdmaOptions setSecretFile(String secretFile) {
    this.secretFile = secretFile;
    return this;
  }

  /** Directory of nodes, services and regions. */
  public DirectoryOptions getDirectory() {
    return directory;
  }

  public RdmaOptions setDirectory(DirectoryOptions directory) {
    this.directory = Objects.requireNonNull(directory);
    return this;
  }

  /** Settings of providers, by name; unknown ones are ignored. */
  public JsonObject getSettings() {
    return settings;
  }

  public RdmaOptions setSettings(JsonObject settings) {
    this.settings = Objects.requireNonNull(settings);
    return this;
  }

  /** Bytes of one receive, at least 4,096. Longer messages are fetched by remote reads, or sent in segments. */
  public int getBufferSize() {
    return bufferSize;
  }

  public RdmaOptions setBufferSize(int bufferSize) {
    this.bufferSize = Bounds.atLeast("bufferSize", bufferSize, 4096);
    return this;
  }

  /** Maximum number of unconsumed messages from one peer, 1 … 65,535. Reduced while few receives are free. */
  public int getDataCredits() {
    return dataCredits;
  }

  public RdmaOptions setDataCredits(int dataCredits) {
    this.dataCredits = Bounds.within("dataCredits", dataCredits, 1, MOST_CREDITS);
    return this;
  }

  /** Maximum number of unconsumed frames of the protocol from one peer, 8 … 65,535. */
  public int getControlCredits() {
    return controlCredits;
  }

  public RdmaOptions setControlCredits(int controlCredits) {
    this.controlCredits = Bounds.within("controlCredits", controlCredits, 8, MOST_CREDITS);
    return this;
  }

  /** Bytes of one remote read or write of unregistered memory, at least {@link #getBufferSize}. */
  public int getFragmentSize() {
    return fragmentSize;
  }

  public RdmaOptions setFragmentSize(int fragmentSize) {
    this.fragmentSize = Bounds.atLeast("fragmentSize", fragmentSize, 4096);
    return this;
  }

  /** Largest message in bytes, in both directions. */
  public int getMaxMessageSize() {
    return maxMessageSize;
  }

  public RdmaOptions setMaxMessageSize(int maxMessageSize) {
    this.maxMessageSize = Bounds.atLeast("maxMessageSize", maxMessageSize, 1);
    return this;
  }

  /**
   * Time for connecting, handshake included. Control connections have half of it, but at least 5 s. Incoming connections have it too, but
   * at least 10 s. A fabric that fails earlier, such as iWARP of the kernel after 10 s, is retried.
   */
  public Duration getConnectTimeout() {
    return connectTimeout;
  }

  public RdmaOptions setConnectTimeout(Duration connectTimeout) {
    this.connectTimeout = Bounds.atLeast("connectTimeout", connectTimeout, 1);
    return this;
  }

  /** Time to wait for peers in {@link RdmaConnection#shutdown()}, and when this Rdma, a verticle or a bus service closes. */
  public Duration getCloseTimeout() {
    return closeTimeout;
  }

  public RdmaOptions setCloseTimeout(Duration closeTimeout) {
    this.closeTimeout = Bounds.atLeast("closeTimeout", closeTimeout, 1);
    return this;
  }

  /** Time without progress after which {@link RdmaConnection#close} fails although the peer is alive. */
  public Duration getCloseIdleTimeout() {
    return closeIdleTimeout;
  }

  public RdmaOptions setCloseIdleTimeout(Duration closeIdleTimeout) {
    this.closeIdleTimeout = Bounds.atLeast("closeIdleTimeout", closeIdleTimeout, 1);
    return this;
  }

  /** First TCP port for control connections, which detect the death of peers; 0 for any free one. */
  public int getControlPort() {
    return controlPort;
  }

  public RdmaOptions setControlPort(int controlPort) {
    this.controlPort = Bounds.atLeast("controlPort", controlPort, 0);
    return this;
  }

  /** Number of ports from {@link #getControlPort} on, of which the first free one is used. */
  public int getControlPortCount() {
    return controlPortCount;
  }

  public RdmaOptions setControlPortCount(int controlPortCount) {
    this.controlPortCount = Bounds.atLeast("controlPortCount", controlPortCount, 1);
    return this;
  }

  /**
   * Time of silence after which a peer is suspected. It receives no calls of functions and contracts while other instances are free, and
   * keeps its connections.
   */
  public Duration getSuspectTimeout() {
    return suspectTimeout;
  }

  public RdmaOptions setSuspectTimeout(Duration suspectTimeout) {
    this.suspectTimeout = Bounds.atLeast("suspectTimeout", suspectTimeout, 100);
    return this;
  }

  /**
   * Time without any acknowledgement after which a peer is dead, since its host has vanished. The kernel acknowledges for a stopped
   * process, which is alive. The death of a process on a living host is noticed immediately.
   */
  public Duration getDeadTimeout() {
    return deadTimeout;
  }

  public RdmaOptions setDeadTimeout(Duration deadTimeout) {
    this.deadTimeout = Bounds.atLeast("deadTimeout", deadTimeout, 200);
    return this;
  }

  /**
   * True if the node publishes its state: to {@code ./rdma stat}, by a file of this user that is written once a second, and to other nodes
   * on request.
   */
  public boolean isStatistics() {
    return statistics;
  }

  public RdmaOptions setStatistics(boolean statistics) {
    this.statistics = statistics;
    return this;
  }

  /**
   * Maximum bytes of a notified write in its notification, which the owner's event loop writes; 0 for none. The fabric writes larger data.
   * A notification must fit a frame of 4 KiB.
   */
  public int getNotifyInlineLimit() {
    return notifyInlineLimit;
  }

  public RdmaOptions setNotifyInlineLimit(int notifyInlineLimit) {
    this.notifyInlineLimit = Bounds.atLeast("notifyInlineLimit", notifyInlineLimit, 0);
    return this;
  }

  /**
   * Maximum number of event loops with an endpoint on a connectionless fabric. An endpoint uses up to 70 MB (libfabric's {@code rxm}) and
   * serves thousands of connections. Messages of other event loops are passed to these.
   */
  public int getMaxRdmLoops() {
    return maxRdmLoops;
  }

  public RdmaOptions setMaxRdmLoops(int maxRdmLoops) {
    this.maxRdmLoops = Bounds.atLeast("maxRdmLoops", maxRdmLoops, 1);
    return this;
  }

  /**
   * Bytes of registered memory, of each device on each event loop, for large messages to a {@link RdmaConnection#messageHandler}; 0 for
   * none. As much is used for each of up to four nodes at a time to which messages of {@link RdmaConnection#allocate} are sent. Memory is
   * registered on first use, which is retried after 10 s. Further messages use the heap.
   */
  public int getZeroCopyBytes() {
    return zeroCopyBytes;
  }

  public RdmaOptions setZeroCopyBytes(int zeroCopyBytes) {
    this.zeroCopyBytes = Bounds.atLeast("zeroCopyBytes", zeroCopyBytes, 0);
    return this;
  }

  /** Spread of connections over the devices of one fabric: {@code NONE}, {@code PEER}, {@code LOOP} or {@code NUMA}. */
  public DeviceSpread getDeviceSpread() {
    return deviceSpread;
  }

  public RdmaOptions setDeviceSpread(DeviceSpread deviceSpread) {
    this.deviceSpread = Objects.requireNonNull(deviceSpread);
    return this;
  }

  /**
   * Minimum bytes of a read or write of a peer's region that goes in halves over two devices of the fabric, if both sides have two; 0 for
   * never.
   */
  public int getRegionSplitSize() {
    return regionSplitSize;
  }

  /** Sets the size: 0 or at least {@value #MIN_REGION_SPLIT_SIZE}. */
  public RdmaOptions setRegionSplitSize(int regionSplitSize) {
    this.regionSplitSize = regionSplitSize == 0 ? 0 : Bounds.atLeast("regionSplitSize", regionSplitSize, MIN_REGION_SPLIT_SIZE);
    return this;
  }

  /**
   * Number of connections of one adapter to owners of regions up to which each event loop has its own. Beyond it an event loop uses the
   * connection of another one to that owner, which costs two changes of threads for each operation, and saves queue pairs and pinned
   * memory.
   */
  public int getMaxRegionLinks() {
    return maxRegionLinks;
  }

  /** Sets the number of connections, at least 1. */
  public RdmaOptions setMaxRegionLinks(int maxRegionLinks) {
    this.maxRegionLinks = Bounds.atLeast("maxRegionLinks", maxRegionLinks, 1);
    return this;
  }

  /**
   * True if all traffic over a fabric, or over TCP in its place, must be encrypted. Then only TLS connections of {@code NetServer}, {@code
   * NetClient}, {@code HttpServer} and {@code HttpClient}, and of the clustered event bus with {@code EventBusOptions.setSsl}, are
   * possible. Servers that accept fabrics close other connections, also over TCP, and so do clients if the directory names the server.
   * Regions, connections and services of this library are refused, since the fabric encrypts nothing. In the options of the process it
   * binds every {@link Rdma} of it, whatever options that was given.
   */
  public boolean isRequireEncryption() {
    return requireEncryption;
  }

  public RdmaOptions setRequireEncryption(boolean requireEncryption) {
    this.requireEncryption = requireEncryption;
    return this;
  }

  /**
   * Decides which nodes of the group may connect to this one and open its regions. The default, {@link RdmaAuthorizer#GROUP}, permits all.
   */
  @GenIgnore
  public RdmaAuthorizer getAuthorizer() {
    return authorizer;
  }

  /**
   * Sets the authorizer, which is not in JSON: see {@link #setAuthorizerClass}. {@code Rdma}s of one Vert.x with different authorizers are
   * different nodes, and the keys of their regions are not in the directory.
   */
  @GenIgnore
  public RdmaOptions setAuthorizer(RdmaAuthorizer authorizer) {
    this.authorizer = Objects.requireNonNull(authorizer);
    return this;
  }

  /**
   * Class of the authorizer, for JSON: public, with a public constructor without parameters, which must not block. A process has one
   * instance of it. Null for {@code -Dvertx.rdma.authorizer} or VERTX_RDMA_AUTHORIZER, or otherwise none.
   */
  public String getAuthorizerClass() {
    return authorizerClass;
  }

  /** Sets the name of a class that the context class loader finds when the node starts. Excludes {@link #setAuthorizer}. */
  public RdmaOptions setAuthorizerClass(String authorizerClass) {
    this.authorizerClass = authorizerClass;
    return this;
  }
}
