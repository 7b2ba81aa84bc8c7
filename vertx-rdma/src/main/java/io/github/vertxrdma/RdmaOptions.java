package io.github.vertxrdma;

import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.directory.EntryJson;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.annotations.GenIgnore;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Objects;

/** Options of a Vert.x's RDMA: its devices, their addresses, the directory, and the sizes of connections. */
@DataObject
@JsonGen(publicConverter = false)
public class RdmaOptions {
  /** Default of {@link #getBufferSize}. */
  public static final int DEFAULT_BUFFER_SIZE = 16 << 10;
  /** Default of {@link #getDataCredits}. */
  public static final int DEFAULT_DATA_CREDITS = 16;
  /** Default of {@link #getControlCredits}. */
  public static final int DEFAULT_CONTROL_CREDITS = 16;
  /** Default of {@link #getFragmentSize}. */
  public static final int DEFAULT_FRAGMENT_SIZE = 256 << 10;
  /** Default of {@link #getMaxMessageSize}. */
  public static final int DEFAULT_MAX_MESSAGE_SIZE = 64 << 20;
  /** Default of {@link #getConnectTimeout}. */
  public static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(10);
  /** Default of {@link #getCloseTimeout}. */
  public static final Duration DEFAULT_CLOSE_TIMEOUT = Duration.ofSeconds(10);
  /** Default of {@link #getCloseIdleTimeout}. */
  public static final Duration DEFAULT_CLOSE_IDLE_TIMEOUT = Duration.ofSeconds(60);
  /** Default of {@link #getControlPort}. */
  public static final int DEFAULT_CONTROL_PORT = 0;
  /** Default of {@link #getControlPortCount}. */
  public static final int DEFAULT_CONTROL_PORT_COUNT = 1;
  /** Default of {@link #getSuspectTimeout}. */
  public static final Duration DEFAULT_SUSPECT_TIMEOUT = Duration.ofSeconds(2);
  /** Default of {@link #getDeadTimeout}. */
  public static final Duration DEFAULT_DEAD_TIMEOUT = Duration.ofSeconds(40);
  /** Default of {@link #isStatistics}. */
  public static final boolean DEFAULT_STATISTICS = true;
  /** Default of {@link #getNotifyInlineLimit}. */
  public static final int DEFAULT_NOTIFY_INLINE_LIMIT = 1 << 10;
  /** Default of {@link #getMaxRdmLoops}. */
  public static final int DEFAULT_MAX_RDM_LOOPS = 4;
  /** Default of {@link #getZeroCopyBytes}. */
  public static final int DEFAULT_ZERO_COPY_BYTES = 16 << 20;
  /** Default of {@link #getDeviceSpread}. */
  public static final DeviceSpread DEFAULT_DEVICE_SPREAD = DeviceSpread.NONE;
  /** Default of {@link #getRegionSplitSize}. */
  public static final int DEFAULT_REGION_SPLIT_SIZE = 0;
  /** The least of {@link #getRegionSplitSize} but 0. */
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
   * The name of this node for people, in logs, errors and statistics; others may have the same. Null for the one that
   * {@code -Dvertx.rdma.name} or VERTX_RDMA_NAME gives, else the main class or jar with the process id, as {@code Orders-4711}; in a
   * container, where that is 1, the host's name.
   */
  public String getName() {
    return name;
  }

  /** 1 to 255 characters, none of them a control character. */
  public RdmaOptions setName(String name) {
    this.name = name == null ? null : EntryJson.name("node", name);
    return this;
  }

  /**
   * The one fabric or device to use ({@code tcp}, {@code shm}, …); nothing else is tried then. Null to choose the best for each peer: the
   * event bus and streams then take TCP instead of fabrics that are sockets of the kernel.
   */
  public String getFabric() {
    return fabric;
  }

  public RdmaOptions setFabric(String fabric) {
    this.fabric = fabric;
    return this;
  }

  /** The local address to listen on, as a literal; null for the cluster's, else the loopback address. */
  public String getHost() {
    return host;
  }

  public RdmaOptions setHost(String host) {
    this.host = host;
    return this;
  }

  /**
   * File with the cluster secret; null for the one that {@code -Dvertx.rdma.secret.file} or VERTX_RDMA_SECRET_FILE names,
   * VERTX_RDMA_SECRET, else a secret of this user on this boot.
   */
  public String getSecretFile() {
    return secretFile;
  }

  public RdmaOptions setSecretFile(String secretFile) {
    this.secretFile = secretFile;
    return this;
  }

  /** The directory in which nodes, services and regions are found. */
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

  /** Bytes of one receive; messages that do not fit are fetched by remote reads, or go in parts. At least 4,096. */
  public int getBufferSize() {
    return bufferSize;
  }

  public RdmaOptions setBufferSize(int bufferSize) {
    this.bufferSize = Bounds.atLeast("bufferSize", bufferSize, 4096);
    return this;
  }

  /** Messages that a peer may have on their way before this side has consumed them; fewer while receives are short. 1 … 65,535. */
  public int getDataCredits() {
    return dataCredits;
  }

  public RdmaOptions setDataCredits(int dataCredits) {
    this.dataCredits = Bounds.within("dataCredits", dataCredits, 1, MOST_CREDITS);
    return this;
  }

  /** The same for the protocol's own frames. 8 … 65,535. */
  public int getControlCredits() {
    return controlCredits;
  }

  public RdmaOptions setControlCredits(int controlCredits) {
    this.controlCredits = Bounds.within("controlCredits", controlCredits, 8, MOST_CREDITS);
    return this;
  }

  /** Bytes that one remote read or write of unregistered memory moves; not below {@link #getBufferSize}. */
  public int getFragmentSize() {
    return fragmentSize;
  }

  public RdmaOptions setFragmentSize(int fragmentSize) {
    this.fragmentSize = Bounds.atLeast("fragmentSize", fragmentSize, 4096);
    return this;
  }

  /** Largest message in bytes, both ways. */
  public int getMaxMessageSize() {
    return maxMessageSize;
  }

  public RdmaOptions setMaxMessageSize(int maxMessageSize) {
    this.maxMessageSize = Bounds.atLeast("maxMessageSize", maxMessageSize, 1);
    return this;
  }

  /**
   * Time that connecting may take, handshake included; control connections have half of it, or 5 s if that is longer. Whoever connects here
   * has it too, or 10 s if that is longer. A fabric that gives up sooner, as iWARP of the kernel does after 10 s, is asked again.
   */
  public Duration getConnectTimeout() {
    return connectTimeout;
  }

  public RdmaOptions setConnectTimeout(Duration connectTimeout) {
    this.connectTimeout = Bounds.atLeast("connectTimeout", connectTimeout, 1);
    return this;
  }

  /** Time that closing this Rdma, undeploying a verticle and closing a service of the event bus wait for peers. */
  public Duration getCloseTimeout() {
    return closeTimeout;
  }

  public RdmaOptions setCloseTimeout(Duration closeTimeout) {
    this.closeTimeout = Bounds.atLeast("closeTimeout", closeTimeout, 1);
    return this;
  }

  /**
   * Time after which {@link RdmaConnection#close} gives up on a peer that lives and takes nothing of what was written. While it takes
   * something, however slowly, a close waits.
   */
  public Duration getCloseIdleTimeout() {
    return closeIdleTimeout;
  }

  public RdmaOptions setCloseIdleTimeout(Duration closeIdleTimeout) {
    this.closeIdleTimeout = Bounds.atLeast("closeIdleTimeout", closeIdleTimeout, 1);
    return this;
  }

  /** First TCP port to take for control connections, which tell of the death of peers; 0 for any that is free. */
  public int getControlPort() {
    return controlPort;
  }

  public RdmaOptions setControlPort(int controlPort) {
    this.controlPort = Bounds.atLeast("controlPort", controlPort, 0);
    return this;
  }

  /** The number of ports from {@link #getControlPort} on of which the first free one is taken. */
  public int getControlPortCount() {
    return controlPortCount;
  }

  public RdmaOptions setControlPortCount(int controlPortCount) {
    this.controlPortCount = Bounds.atLeast("controlPortCount", controlPortCount, 1);
    return this;
  }

  /**
   * Silence after which a peer is suspected. It gets no new calls of functions and contracts while other instances are free, and keeps its
   * connections.
   */
  public Duration getSuspectTimeout() {
    return suspectTimeout;
  }

  public RdmaOptions setSuspectTimeout(Duration suspectTimeout) {
    this.suspectTimeout = Bounds.atLeast("suspectTimeout", suspectTimeout, 100);
    return this;
  }

  /**
   * Time in which nothing at all acknowledges, not even the kernel of the peer's host, after which a peer is dead: its host has vanished. A
   * stopped process lives, for its kernel acknowledges. The death of a process on a living host is noticed at once.
   */
  public Duration getDeadTimeout() {
    return deadTimeout;
  }

  public RdmaOptions setDeadTimeout(Duration deadTimeout) {
    this.deadTimeout = Bounds.atLeast("deadTimeout", deadTimeout, 200);
    return this;
  }

  /**
   * Whether the node tells how it stands: {@code ./rdma stat}, by a file of this user's that is written once a second, and other nodes that
   * ask for it.
   */
  public boolean isStatistics() {
    return statistics;
  }

  public RdmaOptions setStatistics(boolean statistics) {
    this.statistics = statistics;
    return this;
  }

  /**
   * Bytes of a notified write that may go in its notification, for the owner's event loop to put in place before its handler runs; 0 for
   * none, so that all are writes of the fabric with a message behind them. What does not fit a frame of 4 KiB never goes so.
   */
  public int getNotifyInlineLimit() {
    return notifyInlineLimit;
  }

  public RdmaOptions setNotifyInlineLimit(int notifyInlineLimit) {
    this.notifyInlineLimit = Bounds.atLeast("notifyInlineLimit", notifyInlineLimit, 0);
    return this;
  }

  /**
   * Event loops that open an endpoint on a connectionless fabric, which costs as much as 70 MB (libfabric's {@code rxm}) and serves
   * thousands of connections. Others use theirs: the handlers of their connections stay where they are, each message hops between two
   * threads.
   */
  public int getMaxRdmLoops() {
    return maxRdmLoops;
  }

  public RdmaOptions setMaxRdmLoops(int maxRdmLoops) {
    this.maxRdmLoops = Bounds.atLeast("maxRdmLoops", maxRdmLoops, 1);
    return this;
  }

  /**
   * Bytes of registered memory, of each device on each event loop, in which large messages lie for a
   * {@link RdmaConnection#zeroCopyHandler}; and as many for each node, up to four at a time, to which messages that
   * {@link RdmaConnection#allocate} makes are sent. All are registered when they are first needed, after 10 s again if that fails. Messages
   * for which there is no room go through the heap. 0 for none.
   */
  public int getZeroCopyBytes() {
    return zeroCopyBytes;
  }

  public RdmaOptions setZeroCopyBytes(int zeroCopyBytes) {
    this.zeroCopyBytes = Bounds.atLeast("zeroCopyBytes", zeroCopyBytes, 0);
    return this;
  }

  /** The spread of connections over the devices of one fabric: {@code NONE}, {@code PEER}, {@code LOOP} or {@code NUMA}. */
  public DeviceSpread getDeviceSpread() {
    return deviceSpread;
  }

  public RdmaOptions setDeviceSpread(DeviceSpread deviceSpread) {
    this.deviceSpread = Objects.requireNonNull(deviceSpread);
    return this;
  }

  /**
   * Bytes from which a read or a write of a peer's region goes in halves over two devices of the fabric, if both sides have two: over two
   * connections, with which the region is opened. 0 for never.
   */
  public int getRegionSplitSize() {
    return regionSplitSize;
  }

  /** 0 or at least {@value #MIN_REGION_SPLIT_SIZE}. */
  public RdmaOptions setRegionSplitSize(int regionSplitSize) {
    this.regionSplitSize = regionSplitSize == 0 ? 0 : Bounds.atLeast("regionSplitSize", regionSplitSize, MIN_REGION_SPLIT_SIZE);
    return this;
  }

  /**
   * Whether everything that goes over a fabric, or over TCP in its place, has to be encrypted. Then only TLS connections of
   * {@code NetServer}, {@code NetClient}, {@code HttpServer} and {@code HttpClient}, and of the clustered event bus with
   * {@code EventBusOptions.setSsl}, pass: a server that takes fabrics cuts off a connection that begins with something else, also if it
   * came by TCP, and so does a client if the directory names the server. Memory is not shared or opened, and connections and services of
   * this library are not made: the fabric itself encrypts nothing.
   */
  public boolean isRequireEncryption() {
    return requireEncryption;
  }

  public RdmaOptions setRequireEncryption(boolean requireEncryption) {
    this.requireEncryption = requireEncryption;
    return this;
  }

  /**
   * Decides which nodes of the group may connect to this one and open its regions; {@link RdmaAuthorizer#GROUP}, all of them, by default.
   */
  @GenIgnore
  public RdmaAuthorizer getAuthorizer() {
    return authorizer;
  }

  /**
   * Not in JSON, which {@link #setAuthorizerClass} is for. {@code Rdma}s of one Vert.x with authorizers of their own are nodes of their
   * own, and keys of the regions they share are not in the directory.
   */
  @GenIgnore
  public RdmaOptions setAuthorizer(RdmaAuthorizer authorizer) {
    this.authorizer = Objects.requireNonNull(authorizer);
    return this;
  }

  /**
   * Class of the authorizer, for options in JSON: public, with a public constructor without parameters, which must not block. There is one
   * of it in a process. Null for the class that {@code -Dvertx.rdma.authorizer} or VERTX_RDMA_AUTHORIZER names, else for none.
   */
  public String getAuthorizerClass() {
    return authorizerClass;
  }

  /**
   * The name of a class that the context class loader finds when the node starts, which fails without it; not beside
   * {@link #setAuthorizer}.
   */
  public RdmaOptions setAuthorizerClass(String authorizerClass) {
    this.authorizerClass = authorizerClass;
    return this;
  }
}
