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
  public static final int DEFAULT_MAX_MESSAGE_SIZE = 64 << 20;
  public static final int DEFAULT_ZERO_COPY_BYTES = 16 << 20;

  private static final int MOST_CREDITS = 0xffff;

  private String name;
  private String fabric;
  private String host;
  private String secretFile;
  private DirectoryOptions directory = new DirectoryOptions();
  private JsonObject settings = new JsonObject();
  private int bufferSize = DEFAULT_BUFFER_SIZE;
  private int dataCredits = 16;
  private int controlCredits = 16;
  private int maxMessageSize = DEFAULT_MAX_MESSAGE_SIZE;
  private Duration connectTimeout = Duration.ofSeconds(10);
  private Duration closeTimeout = Duration.ofSeconds(10);
  private Duration closeIdleTimeout = Duration.ofSeconds(60);
  private int controlPort;
  private int controlPortCount = 1;
  private Duration suspectTimeout = Duration.ofSeconds(2);
  private Duration deadTimeout = Duration.ofSeconds(40);
  private boolean requireEncryption;
  private boolean statistics = true;
  private int maxRdmLoops = 4;
  private int zeroCopyBytes = DEFAULT_ZERO_COPY_BYTES;
  private DeviceSpread deviceSpread = DeviceSpread.NONE;
  private int maxRegionLinks = 512;
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
   * Name of this node for people, in logs, errors and statistics. Need not be unique. If null, {@code -Dvertx.rdma.name} or the environment
   * variable VERTX_RDMA_NAME is used. Otherwise the name is the main class or jar with the process id, such as {@code Orders-4711}, or in a
   * container the host name.
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
   * Fabric (network with RDMA) or device to use, such as {@code tcp} or {@code shm}, without fallback. If null, the best is chosen for each
   * peer. The event bus and streams then prefer Vert.x's TCP to a fabric over kernel sockets.
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
   * File with the cluster secret, by which nodes trust each other. If null, {@code -Dvertx.rdma.secret.file} or the environment variable
   * VERTX_RDMA_SECRET_FILE names the file, or VERTX_RDMA_SECRET contains the secret. Otherwise all processes of this user on this host
   * share a secret.
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

  /** Settings of providers (the libraries that operate fabrics), by name. Unknown settings are ignored. */
  public JsonObject getSettings() {
    return settings;
  }

  public RdmaOptions setSettings(JsonObject settings) {
    this.settings = Objects.requireNonNull(settings);
    return this;
  }

  /**
   * Bytes of one receive buffer, at least 4,096. Longer messages are sent in parts, or the receiver reads them from the sender's memory.
   */
  public int getBufferSize() {
    return bufferSize;
  }

  public RdmaOptions setBufferSize(int bufferSize) {
    this.bufferSize = Bounds.atLeast("bufferSize", bufferSize, 4096);
    return this;
  }

  /**
   * Maximum number of messages that one peer may send before this side consumes them, 1 … 65,535. Reduced while few receive buffers are
   * free.
   */
  public int getDataCredits() {
    return dataCredits;
  }

  public RdmaOptions setDataCredits(int dataCredits) {
    this.dataCredits = Bounds.within("dataCredits", dataCredits, 1, MOST_CREDITS);
    return this;
  }

  /** Maximum number of protocol frames without messages that one peer may send before this side consumes them, 8 … 65,535. */
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
   * Maximum time for connecting over one fabric, including the handshake and repeated attempts. TCP connections between nodes have half of
   * it, but at least 5 s. Incoming connections have at least 10 s.
   */
  public Duration getConnectTimeout() {
    return connectTimeout;
  }

  public RdmaOptions setConnectTimeout(Duration connectTimeout) {
    this.connectTimeout = Bounds.atLeast("connectTimeout", connectTimeout, 1);
    return this;
  }

  /** Maximum time to wait for peers in {@link RdmaConnection#shutdown()}, and when an {@link Rdma}, verticle or bus service closes. */
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

  /** First TCP port for control connections, by which nodes detect that a peer died; 0 for any free port. */
  public int getControlPort() {
    return controlPort;
  }

  public RdmaOptions setControlPort(int controlPort) {
    this.controlPort = Bounds.atLeast("controlPort", controlPort, 0);
    return this;
  }

  /** Number of ports to try, from {@link #getControlPort} on. The first free one is used. */
  public int getControlPortCount() {
    return controlPortCount;
  }

  public RdmaOptions setControlPortCount(int controlPortCount) {
    this.controlPortCount = Bounds.atLeast("controlPortCount", controlPortCount, 1);
    return this;
  }

  /**
   * Time without a message after which a peer is suspected to be dead, at least 100 ms. While this node makes no calls, this takes up to a
   * quarter of {@code deadTimeout} longer. Calls of functions and contracts avoid a suspected peer if possible. Its connections stay open.
   */
  public Duration getSuspectTimeout() {
    return suspectTimeout;
  }

  public RdmaOptions setSuspectTimeout(Duration suspectTimeout) {
    this.suspectTimeout = Bounds.atLeast("suspectTimeout", suspectTimeout, 100);
    return this;
  }

  /**
   * Time without any acknowledgement by the peer's host after which the peer counts as dead, at least 200 ms. A stopped process counts as
   * alive, since the kernel of its host acknowledges. If a process ends while its host works, peers are notified immediately.
   */
  public Duration getDeadTimeout() {
    return deadTimeout;
  }

  public RdmaOptions setDeadTimeout(Duration deadTimeout) {
    this.deadTimeout = Bounds.atLeast("deadTimeout", deadTimeout, 200);
    return this;
  }

  /** True to publish statistics: once a second in a file that {@code ./rdma stat} reads, and to other nodes on request. */
  public boolean isStatistics() {
    return statistics;
  }

  public RdmaOptions setStatistics(boolean statistics) {
    this.statistics = statistics;
    return this;
  }

  /**
   * Maximum number of event loops that open an endpoint (like a datagram socket) on a connectionless fabric, at least 1. Other event loops
   * send and receive through these. An endpoint uses up to 70 MB (libfabric's {@code rxm}) and serves thousands of connections.
   */
  public int getMaxRdmLoops() {
    return maxRdmLoops;
  }

  public RdmaOptions setMaxRdmLoops(int maxRdmLoops) {
    this.maxRdmLoops = Bounds.atLeast("maxRdmLoops", maxRdmLoops, 1);
    return this;
  }

  /**
   * Bytes of memory that a device writes directly (registered memory), for large messages to a {@link RdmaConnection#messageHandler}; 0 for
   * none. Applies to each device on each event loop. {@link RdmaConnection#allocate} uses the same number for each of up to four peer
   * nodes. A failed registration is retried after 10 s. Messages for which no registered memory is free use the heap.
   */
  public int getZeroCopyBytes() {
    return zeroCopyBytes;
  }

  public RdmaOptions setZeroCopyBytes(int zeroCopyBytes) {
    this.zeroCopyBytes = Bounds.atLeast("zeroCopyBytes", zeroCopyBytes, 0);
    return this;
  }

  /** Rule that selects among several devices of one fabric for a new connection: {@code NONE}, {@code PEER} or {@code LOOP}. */
  public DeviceSpread getDeviceSpread() {
    return deviceSpread;
  }

  public RdmaOptions setDeviceSpread(DeviceSpread deviceSpread) {
    this.deviceSpread = Objects.requireNonNull(deviceSpread);
    return this;
  }

  /**
   * Maximum number of connections of one adapter to owners of memory regions before event loops share them, at least 1. Sharing saves
   * memory of the adapter, but each operation changes threads twice.
   */
  public int getMaxRegionLinks() {
    return maxRegionLinks;
  }

  public RdmaOptions setMaxRegionLinks(int maxRegionLinks) {
    this.maxRegionLinks = Bounds.atLeast("maxRegionLinks", maxRegionLinks, 1);
    return this;
  }

  /**
   * True if all traffic over a fabric, or over TCP instead, must be encrypted. Then only TLS connections are possible: of {@code
   * NetServer}, {@code NetClient}, {@code HttpServer}, {@code HttpClient}, and of the clustered event bus with {@code
   * EventBusOptions.setSsl}. Servers that accept fabric connections close unencrypted ones, also over TCP. Clients do the same if the
   * directory contains the server. Regions, connections and services of this library fail. If the options of the process set this, it
   * applies to every {@link Rdma} of the process.
   */
  public boolean isRequireEncryption() {
    return requireEncryption;
  }

  public RdmaOptions setRequireEncryption(boolean requireEncryption) {
    this.requireEncryption = requireEncryption;
    return this;
  }

  /** Returns the object that decides which nodes may connect to this node and open its regions. The default permits all. */
  @GenIgnore
  public RdmaAuthorizer getAuthorizer() {
    return authorizer;
  }

  /**
   * Sets the authorizer, which is not part of the JSON form. Instances of {@link Rdma} with different authorizers are different nodes, also
   * in one Vert.x. The keys of their regions are not published in the directory.
   */
  @GenIgnore
  public RdmaOptions setAuthorizer(RdmaAuthorizer authorizer) {
    this.authorizer = Objects.requireNonNull(authorizer);
    return this;
  }

  /**
   * Name of the {@link RdmaAuthorizer} class, for the JSON form. It must be public and have a public constructor without parameters that
   * does not block. A process creates one instance. If null, {@code -Dvertx.rdma.authorizer} or the environment variable
   * VERTX_RDMA_AUTHORIZER is used.
   */
  public String getAuthorizerClass() {
    return authorizerClass;
  }

  /** Sets the name of the authorizer class, which is loaded when the node starts. Cannot be combined with {@link #setAuthorizer}. */
  public RdmaOptions setAuthorizerClass(String authorizerClass) {
    this.authorizerClass = authorizerClass;
    return this;
  }
}
