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

/** Options of an {@link Rdma} and its node: devices, addresses, directory, sizes and timeouts. */
@DataObject
@JsonGen(publicConverter = false)
public class RdmaOptions {
  public static final int DEFAULT_BUFFER_SIZE = 16 << 10;
  public static final int DEFAULT_DATA_CREDITS = 16;
  public static final int DEFAULT_CONTROL_CREDITS = 16;
  public static final int DEFAULT_MAX_MESSAGE_SIZE = 64 << 20;
  public static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(10);
  public static final Duration DEFAULT_CLOSE_TIMEOUT = Duration.ofSeconds(10);
  public static final Duration DEFAULT_CLOSE_IDLE_TIMEOUT = Duration.ofSeconds(60);
  public static final int DEFAULT_CONTROL_PORT = 0;
  public static final int DEFAULT_CONTROL_PORT_COUNT = 1;
  public static final Duration DEFAULT_SUSPECT_TIMEOUT = Duration.ofSeconds(2);
  public static final Duration DEFAULT_DEAD_TIMEOUT = Duration.ofSeconds(40);
  public static final boolean DEFAULT_STATISTICS = true;
  public static final int DEFAULT_MAX_RDM_LOOPS = 4;
  public static final int DEFAULT_ZERO_COPY_BYTES = 16 << 20;
  public static final DeviceSpread DEFAULT_DEVICE_SPREAD = DeviceSpread.NONE;
  /** Default of {@link #getMaxRegionLinks}. */
  public static final int DEFAULT_MAX_REGION_LINKS = 512;

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
  private int maxRdmLoops = DEFAULT_MAX_RDM_LOOPS;
  private int zeroCopyBytes = DEFAULT_ZERO_COPY_BYTES;
  private DeviceSpread deviceSpread = DEFAULT_DEVICE_SPREAD;
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
   * Name of this node for people, in logs, errors and statistics. Need not be unique. If null, {@code -Dvertx.rdma.name} or the
   * environment variable VERTX_RDMA_NAME is used. Without these the name is the main class or jar with the process id, such as
   * {@code Orders-4711}, or the host name if the process id is 1, as in a container.
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
   * Fabric or device to use ({@code tcp}, {@code shm}, …), without falling back to another. If null, the best is chosen for each peer;
   * the event bus and streams then use Vert.x's TCP rather than a fabric that itself uses kernel sockets.
   */
  public String getFabric() {
    return fabric;
  }

  public RdmaOptions setFabric(String fabric) {
    this.fabric = fabric;
    return this;
  }

  /** Numeric local address to listen on. If null, the address of the cluster manager is used, or without a cluster the loopback address. */
  public String getHost() {
    return host;
  }

  public RdmaOptions setHost(String host) {
    this.host = host;
    return this;
  }

  /**
   * File with the cluster secret. If null, the file is that of {@code -Dvertx.rdma.secret.file} or the environment variable
   * VERTX_RDMA_SECRET_FILE, or the secret itself is in VERTX_RDMA_SECRET. Otherwise a secret is used that all processes of this user on
   * this host share.
   */
  public String getSecretFile() {
    return secretFile;
  }

  public RdmaOptions setSecretFile(String secretFile) {
    this.secretFile = secretFile;
    return this;
  }

  /** Options of the directory of nodes, services and regions. */
  public DirectoryOptions getDirectory() {
    return directory;
  }

  public RdmaOptions setDirectory(DirectoryOptions directory) {
    this.directory = Objects.requireNonNull(directory);
    return this;
  }

  /** Settings of providers, by name. Unknown settings are ignored. */
  public JsonObject getSettings() {
    return settings;
  }

  public RdmaOptions setSettings(JsonObject settings) {
    this.settings = Objects.requireNonNull(settings);
    return this;
  }

  /**
   * Bytes of one receive buffer, at least 4,096. The receiver fetches longer messages by remote reads, or the sender splits them into
   * segments.
   */
  public int getBufferSize() {
    return bufferSize;
  }

  public RdmaOptions setBufferSize(int bufferSize) {
    this.bufferSize = Bounds.atLeast("bufferSize", bufferSize, 4096);
    return this;
  }

  /** Maximum number of unconsumed messages from one peer, 1 … 65,535. Reduced while few receive buffers are free. */
  public int getDataCredits() {
    return dataCredits;
  }

  public RdmaOptions setDataCredits(int dataCredits) {
    this.dataCredits = Bounds.within("dataCredits", dataCredits, 1, MOST_CREDITS);
    return this;
  }

  /** Maximum number of unconsumed control frames (protocol frames without messages) from one peer, 8 … 65,535. */
  public int getControlCredits() {
    return controlCredits;
  }

  public RdmaOptions setControlCredits(int controlCredits) {
    this.controlCredits = Bounds.within("controlCredits", controlCredits, 8, MOST_CREDITS);
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
   * Maximum time for connecting over one fabric, including the handshake. Control connections have half of this time, but at least 5 s.
   * Incoming connections have at least 10 s. If a fabric has a shorter timeout of its own, such as 10 s for iWARP in the kernel, the
   * attempt is repeated within this time.
   */
  public Duration getConnectTimeout() {
    return connectTimeout;
  }

  public RdmaOptions setConnectTimeout(Duration connectTimeout) {
    this.connectTimeout = Bounds.atLeast("connectTimeout", connectTimeout, 1);
    return this;
  }

  /** Maximum time to wait for peers in {@link RdmaConnection#shutdown()}, and when an {@link Rdma}, a verticle or a bus service closes. */
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

  /** Number of ports to try, beginning with {@link #getControlPort}. The first free one is used. */
  public int getControlPortCount() {
    return controlPortCount;
  }

  public RdmaOptions setControlPortCount(int controlPortCount) {
    this.controlPortCount = Bounds.atLeast("controlPortCount", controlPortCount, 1);
    return this;
  }

  /**
   * Time without a message after which this node suspects a peer. If this node makes no calls, suspecting takes up to a quarter of {@code
   * deadTimeout} longer. A suspected peer receives no calls of functions and contracts while other instances are available. Its connections
   * stay open.
   */
  public Duration getSuspectTimeout() {
    return suspectTimeout;
  }

  public RdmaOptions setSuspectTimeout(Duration suspectTimeout) {
    this.suspectTimeout = Bounds.atLeast("suspectTimeout", suspectTimeout, 100);
    return this;
  }

  /**
   * Time without any acknowledgement by the peer's host after which the peer counts as dead. A stopped process counts as alive, since the
   * kernel of its host still acknowledges. If a process ends while its host works, peers are notified immediately.
   */
  public Duration getDeadTimeout() {
    return deadTimeout;
  }

  public RdmaOptions setDeadTimeout(Duration deadTimeout) {
    this.deadTimeout = Bounds.atLeast("deadTimeout", deadTimeout, 200);
    return this;
  }

  /**
   * True if the node publishes statistics: once a second in a file of this user that {@code ./rdma stat} reads, and to other nodes on
   * request.
   */
  public boolean isStatistics() {
    return statistics;
  }

  public RdmaOptions setStatistics(boolean statistics) {
    this.statistics = statistics;
    return this;
  }

  /**
   * Maximum number of event loops with an endpoint on a connectionless fabric. An endpoint uses up to 70 MB (libfabric's {@code rxm}) and
   * serves thousands of connections. Other event loops send and receive through these event loops.
   */
  public int getMaxRdmLoops() {
    return maxRdmLoops;
  }

  public RdmaOptions setMaxRdmLoops(int maxRdmLoops) {
    this.maxRdmLoops = Bounds.atLeast("maxRdmLoops", maxRdmLoops, 1);
    return this;
  }

  /**
   * Bytes of registered memory for large messages to a {@link RdmaConnection#messageHandler}, for each device on each event loop; 0 for
   * none. In addition, the same number of bytes is used for messages of {@link RdmaConnection#allocate}, for each of up to four
   * destination nodes at a time. The memory is registered on first use; a failed registration is retried after 10 s. Messages for which
   * no registered memory is free use the heap.
   */
  public int getZeroCopyBytes() {
    return zeroCopyBytes;
  }

  public RdmaOptions setZeroCopyBytes(int zeroCopyBytes) {
    this.zeroCopyBytes = Bounds.atLeast("zeroCopyBytes", zeroCopyBytes, 0);
    return this;
  }

  /** Way to select among several devices of one fabric for a new connection: {@code NONE}, {@code PEER} or {@code LOOP}. */
  public DeviceSpread getDeviceSpread() {
    return deviceSpread;
  }

  public RdmaOptions setDeviceSpread(DeviceSpread deviceSpread) {
    this.deviceSpread = Objects.requireNonNull(deviceSpread);
    return this;
  }

  /**
   * Maximum number of connections of one adapter to owners of regions before event loops share them. Up to this number, each event loop
   * has its own connection to an owner. Above it, an event loop uses another event loop's connection to the same owner: each operation
   * then changes threads twice, but queue pairs and pinned memory are saved.
   */
  public int getMaxRegionLinks() {
    return maxRegionLinks;
  }

  /** Sets the maximum: at least 1. */
  public RdmaOptions setMaxRegionLinks(int maxRegionLinks) {
    this.maxRegionLinks = Bounds.atLeast("maxRegionLinks", maxRegionLinks, 1);
    return this;
  }

  /**
   * True if all traffic over a fabric, or over TCP instead of a fabric, must be encrypted. Then only TLS connections of {@code NetServer},
   * {@code NetClient}, {@code HttpServer} and {@code HttpClient}, and of the clustered event bus with {@code EventBusOptions.setSsl}, are
   * possible. Servers that accept fabric connections close unencrypted ones, also over TCP. Clients do the same if the directory contains
   * the server. Regions, connections and services of this library fail, since fabrics do not encrypt. If the options of the process set
   * this, it applies to every {@link Rdma} of the process.
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
   * Sets the authorizer. It is not part of the JSON form, see {@link #setAuthorizerClass}. Instances of {@link Rdma} with different
   * authorizers are different nodes, also in one Vert.x. The keys of their regions are not published in the directory.
   */
  @GenIgnore
  public RdmaOptions setAuthorizer(RdmaAuthorizer authorizer) {
    this.authorizer = Objects.requireNonNull(authorizer);
    return this;
  }

  /**
   * Class of the authorizer, for the JSON form. It must be public and have a public constructor without parameters that does not block. A
   * process creates one instance. If null, {@code -Dvertx.rdma.authorizer} or the environment variable VERTX_RDMA_AUTHORIZER is used, or no
   * class if neither is set.
   */
  public String getAuthorizerClass() {
    return authorizerClass;
  }

  /**
   * Sets the name of the authorizer class, which the context class loader loads when the node starts. Cannot be combined with
   * {@link #setAuthorizer}.
   */
  public RdmaOptions setAuthorizerClass(String authorizerClass) {
    this.authorizerClass = authorizerClass;
    return this;
  }
}
