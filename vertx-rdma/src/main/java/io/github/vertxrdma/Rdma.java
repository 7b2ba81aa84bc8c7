package io.github.vertxrdma;

import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryWatch;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.api.RdmaImpl;
import io.github.vertxrdma.impl.transport.TransportRdma;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.codegen.annotations.GenIgnore;
import io.vertx.codegen.annotations.VertxGen;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.net.SocketAddress;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/**
 * RDMA in a Vert.x: servers and connections over the devices of this machine, and memory regions for other nodes.
 *
 * <p>Any thread may call methods. Futures complete and handlers run on the caller's context. {@link #create} never blocks. The first
 * operation waits until the devices and the directory are open.
 */
@VertxGen
public interface Rdma {

  /**
   * Creates an instance with the options of the process: from the file named by {@code -Dvertx.rdma.config} or VERTX_RDMA_CONFIG, from
   * {@code vertx-rdma.json} on the class path, or the defaults. Shares the node of this Vert.x's network stack.
   */
  static Rdma create(Vertx vertx) {
    return create(vertx, TransportRdma.options(vertx));
  }

  /**
   * Creates an instance with given options, and with {@link RdmaOptions#isRequireEncryption} if the options of the process have it. The
   * first operation starts its node, and the next one retries after a failure. The instance closes with the verticle or Vert.x that created
   * it, as do resources that a verticle opens with it.
   */
  static Rdma create(Vertx vertx, RdmaOptions options) {
    return new RdmaImpl(vertx, options, null);
  }

  /**
   * Creates an instance with an open directory, such as one for an existing Hazelcast instance.
   *
   * @param options whose {@link RdmaOptions#getDirectory} is ignored; equal for all instances with the directory
   * @param directory for one node of this Vert.x; closes with the last {@code Rdma} that uses it
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  static Rdma create(Vertx vertx, RdmaOptions options, DirectoryBackend directory) {
    return new RdmaImpl(vertx, options, Objects.requireNonNull(directory, "directory"));
  }

  /**
   * Returns an address for Vert.x's servers and clients (net, HTTP, WebSocket) that is reached only over a fabric, not by TCP: {@code
   * SocketAddress.domainSocketAddress("rdma://host:port")}. Vert.x refuses {@code rdma:} in URLs.
   *
   * <p>A server listens on it, and closes connections to the same TCP port. A {@code NetClient} connects to it. An {@code HttpClient}
   * request names it by {@code setServer}. A {@code WebSocketClient} uses host and port, and reaches the server over the fabric after this
   * Vert.x has started its node.
   *
   * @param host name or IP address
   * @param port 1 … 65,535, since Vert.x would not report a port chosen for 0
   */
  static SocketAddress address(String host, int port) {
    return SocketAddress.domainSocketAddress("rdma://" + (host.indexOf(':') < 0 ? host : '[' + host + ']') + ':' + port);
  }

  /** Returns the Vert.x that this instance was created for. */
  Vertx vertx();

  default RdmaServer createServer() {
    return createServer(new RdmaServerOptions());
  }

  /** Creates a server that does not listen yet. */
  RdmaServer createServer(RdmaServerOptions options);

  default Future<RdmaConnection> connect(String name) {
    return connect(name, new RdmaConnectOptions());
  }

  /**
   * Connects to a service of the directory, and waits for its name to appear. Uses the best fabric that both ends share, then the next
   * ones, unless the options name one.
   *
   * @return fails with {@link RdmaException}: {@code NOT_FOUND}, {@code UNREACHABLE} with the reasons of all fabrics, {@code REJECTED} with
   * the server's reason, {@code NOT_AUTHENTIC}
   */
  Future<RdmaConnection> connect(String name, RdmaConnectOptions options);

  /** Connects to one instance of a service from the {@link #directory}. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<RdmaConnection> connect(ServiceEntry instance, RdmaConnectOptions options);

  /** Connects to a {@link RdmaServer#listen(SocketAddress) server} with an address, over a fabric with IP addresses. */
  Future<RdmaConnection> connect(SocketAddress address, RdmaConnectOptions options);

  default Future<RdmaConnection> connect(SocketAddress address) {
    return connect(address, new RdmaConnectOptions());
  }

  default Future<RdmaBusClient> connectBus(String service) {
    return connectBus(service, new RdmaBusClientOptions());
  }

  /**
   * Creates a client of an event bus service, as offered by a verticle {@code rdma:name}. Waits for the name to appear.
   *
   * @return fails like {@link #connect(String, RdmaConnectOptions)}
   * @throws IllegalArgumentException if the options have an address or RDMA options, which are for verticles
   */
  Future<RdmaBusClient> connectBus(String service, RdmaBusClientOptions options);

  default Future<RdmaOffer> createOffer() {
    return createOffer(new RdmaOfferOptions());
  }

  /**
   * Creates an offer of an out-of-band connection. Its queue pair belongs to the event loop of the caller's context.
   *
   * @return fails with {@link RdmaException}: {@code UNSUPPORTED} if no permitted device can, {@code LIMIT} if queue pairs or memory are
   * exhausted
   */
  Future<RdmaOffer> createOffer(RdmaOfferOptions options);

  /**
   * Opens a device in raw mode. The event loop of the caller's context polls its completion queue.
   *
   * @param name of a device or fabric, as for {@link RdmaOptions#setFabric}: {@code verbs:mlx5_0}, {@code tcp}
   * @return fails with {@link RdmaException} {@code UNSUPPORTED} and a list of devices if there is no such device, or with a {@code
   * ProviderException} if it cannot be opened
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<RdmaDevice> openDevice(String name);

  /** Creates a memory region for other nodes, published in the directory if it has a name. */
  Future<MemoryRegion> createRegion(RegionOptions options);

  /**
   * Creates a region of existing memory, such as a mapped file, without copying or zeroing it. The caller keeps the memory, and the length
   * of a mapped file, until {@link MemoryRegion#close} completes. Over {@code shm} peers cannot map it, so the owner's event loop executes
   * their operations. A device that pins memory may refuse a writable mapped file.
   *
   * @param memory native, aligned to 8 bytes, accessible from any thread; read-only if peers only read
   * @param options without size and file
   * @return fails with {@link RdmaException} {@code LIMIT} if every device refuses the memory
   * @throws IllegalArgumentException if the memory is unsuitable for any device
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<MemoryRegion> createRegion(MemorySegment memory, RegionOptions options);

  default Future<RemoteRegion> openRegion(String name) {
    return openRegion(name, new RegionOpenOptions());
  }

  /**
   * Opens a named region of any node. Waits for the name to appear, and retries {@link RegionOpenOptions#getReconnectAttempts} times.
   *
   * @return fails with {@link RdmaException}: {@code NOT_FOUND}, {@code UNREACHABLE}, {@code ACCESS_DENIED}, {@code REVOKED}
   */
  Future<RemoteRegion> openRegion(String name, RegionOpenOptions options);

  /** Returns a read-only view of this node's directory. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<RdmaDirectory> directory();

  /** Returns the fabrics of this process, best first, and unusable ones with reasons. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<List<FabricInfo>> fabrics();

  /**
   * Watches the other nodes of the group. Reports present ones, then each change in order. A node that returns after a partition disappears
   * first.
   *
   * @return stops the watch
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<DirectoryWatch> watchPeers(Handler<PeerEvent> handler);

  /**
   * Pings a peer over each fabric that reaches it. Every listening node replies. Waits for the name to appear.
   *
   * @param name of a service, for all its instances, or a node id or its beginning
   * @return a report per peer and device; fails with {@link RdmaException} {@code NOT_FOUND} if nothing has the name
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<List<PingReport>> ping(String name, PingOptions options);

  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  default Future<List<PingReport>> ping(String name) {
    return ping(name, new PingOptions());
  }

  /**
   * Returns whether a connected node has been silent for {@link RdmaOptions#setSuspectTimeout suspectTimeout}. False for unknown nodes. Any
   * thread; does not block.
   */
  boolean isSuspected(String nodeId);

  /**
   * Checks that this node has started, its event loops respond, and the directory has it.
   *
   * @return never fails
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<HealthReport> health();

  /** Returns statistics of this node, collected from its event loops. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<NodeStatistics> statistics();

  /**
   * Returns statistics of any node of the directory over a control connection. That node then measures the round trips of its connections
   * for the next call. A reply has at most 32 KiB of JSON. It omits further connections and regions, and its last error states their
   * number.
   *
   * @return fails if the directory does not have the node, it is unreachable, does not reply within 5 s, is still replying to a call of
   * this node, or is another node with {@link RdmaOptions#setStatistics statistics} off
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<NodeStatistics> statistics(String nodeId);

  /** Closes connections, servers and regions, then the devices. Idempotent. */
  Future<Void> close();
}
