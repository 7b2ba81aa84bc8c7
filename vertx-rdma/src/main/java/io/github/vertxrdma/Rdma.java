package io.github.vertxrdma;

import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryWatch;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.RdmaImpl;
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
 * <p>Methods may be called from any thread; futures complete and handlers run on the caller's context. {@link #create} never blocks: the
 * first operation opens devices and directory, and waits for them.
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
   * Creates an instance with given options. The first operation starts its node; after a failure the next one retries. It closes by {@link
   * #close}, or with the verticle or Vert.x that created it. Resources that a verticle opened with it close with that verticle.
   */
  static Rdma create(Vertx vertx, RdmaOptions options) {
    return new RdmaImpl(vertx, options, null);
  }

  /**
   * Creates an instance with an open directory, of the caller's own or from a factory method, as for an existing Hazelcast instance.
   * Ignores {@link RdmaOptions#getDirectory}.
   *
   * @param directory of one node of this Vert.x: all instances with it must have equal options. The first operation publishes the node in
   * it; it closes with the last {@code Rdma} that uses it
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  static Rdma create(Vertx vertx, RdmaOptions options, DirectoryBackend directory) {
    return new RdmaImpl(vertx, options, Objects.requireNonNull(directory, "directory"));
  }

  /**
   * Returns an address for Vert.x's own servers and clients (net, HTTP, WebSocket) that is reached over a fabric only, not by TCP: {@code
   * SocketAddress.domainSocketAddress("rdma://host:port")}, as Vert.x has only inet and domain socket addresses. Vert.x refuses {@code
   * rdma:} in URLs.
   *
   * <p>A server listens on it; a {@code NetClient} connects to it; an {@code HttpClient} request names it by {@code setServer} beside its
   * URL. A {@code WebSocketClient} uses host and port, and reaches the server over the fabric once this Vert.x has started its node. The
   * server also occupies the TCP port, and closes TCP connections.
   *
   * @param host name or IP address
   * @param port 1 … 65,535; 0 is not possible, as Vert.x would not report the port
   */
  static SocketAddress address(String host, int port) {
    return SocketAddress.domainSocketAddress("rdma://" + (host.indexOf(':') < 0 ? host : '[' + host + ']') + ':' + port);
  }

  /** Creates a server that does not listen yet. */
  default RdmaServer createServer() {
    return createServer(new RdmaServerOptions());
  }

  /** Creates a server that does not listen yet. */
  RdmaServer createServer(RdmaServerOptions options);

  /** Connects to a service of the directory with default options. Waits for its name to appear. */
  default Future<RdmaConnection> connect(String name) {
    return connect(name, new RdmaConnectOptions());
  }

  /**
   * Connects to a service of the directory over the best fabric that both ends share, or the next one on failure, unless one is forced.
   *
   * @return fails with {@link RdmaException}: {@code NOT_FOUND}, {@code UNREACHABLE} with the reasons of all fabrics, {@code REJECTED} with
   * the server's words, {@code NOT_AUTHENTIC}
   */
  Future<RdmaConnection> connect(String name, RdmaConnectOptions options);

  /** Connects to one instance of a service from the {@link #directory}, without the lookup timeout. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<RdmaConnection> connect(ServiceEntry instance, RdmaConnectOptions options);

  /** Connects to the host and port of a {@link RdmaServer#listen(SocketAddress) server}, over a fabric with IP addresses. */
  Future<RdmaConnection> connect(SocketAddress address, RdmaConnectOptions options);

  /** Connects to a host and port with default options. */
  default Future<RdmaConnection> connect(SocketAddress address) {
    return connect(address, new RdmaConnectOptions());
  }

  /** Connects to a host and port with default options. */
  default Future<RdmaConnection> connect(int port, String host) {
    return connect(SocketAddress.inetSocketAddress(port, host));
  }

  /** Connects a client of an event bus service with default options. */
  default Future<RdmaBusClient> connectBus(String service) {
    return connectBus(service, new RdmaBusClientOptions());
  }

  /**
   * Connects a client of an event bus service, as offered by a verticle {@code rdma:name}, to one instance. Waits for the name to appear.
   *
   * @return fails with {@link RdmaException}: {@code NOT_FOUND} with the name and the time, {@code UNREACHABLE} with the reasons of all
   * fabrics, {@code NOT_AUTHENTIC}
   * @throws IllegalArgumentException if the options have an address or RDMA options, which are for verticles
   */
  Future<RdmaBusClient> connectBus(String service, RdmaBusClientOptions options);

  /** Creates an offer of an out-of-band connection with default options. */
  default Future<RdmaOffer> createOffer() {
    return createOffer(new RdmaOfferOptions());
  }

  /**
   * Creates an offer of an out-of-band connection, without a peer, directory or address. The queue pair belongs to the event loop of the
   * caller's context.
   *
   * @return fails with {@link RdmaException}: {@code UNSUPPORTED} if no permitted device can, {@code LIMIT} if queue pairs or memory are
   * exhausted
   */
  Future<RdmaOffer> createOffer(RdmaOfferOptions options);

  /**
   * Opens a device in raw mode for the caller. The event loop of the caller's context polls its completion queue.
   *
   * @param name of a device or fabric, as for {@link RdmaOptions#setFabric}: {@code verbs:mlx5_0}, {@code tcp}
   * @return fails with {@link RdmaException} {@code UNSUPPORTED} and a list of devices if there is no such device, with a {@code
   * ProviderException} if it cannot be opened
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<RdmaDevice> openDevice(String name);

  /** Creates a memory region for other nodes, published in the directory if it has a name. */
  Future<MemoryRegion> createRegion(RegionOptions options);

  /**
   * Creates a region of existing memory, such as a mapped file, without copying or zeroing it. The caller keeps the memory, and a mapped
   * file's length, until {@link MemoryRegion#close} completes. Over {@code shm} peers cannot map it; the owner's event loop executes their
   * operations, as over sockets. A device that pins memory may refuse a writable mapped file.
   *
   * @param memory native, aligned to 8 bytes, accessible from any thread; read-only if peers only read
   * @param options without size and file
   * @return fails with {@link RdmaException} {@code LIMIT} if every device refuses the memory
   * @throws IllegalArgumentException with the reason if the memory is unsuitable for any device
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<MemoryRegion> createRegion(MemorySegment memory, RegionOptions options);

  /** Opens a region shared by name, of any node, with default options. Waits for the name to appear. */
  default Future<RemoteRegion> openRegion(String name) {
    return openRegion(name, new RegionOpenOptions());
  }

  /** Opens a region shared by name. */
  Future<RemoteRegion> openRegion(String name, RegionOpenOptions options);

  /** Returns the directory of this node, read-only. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<RdmaDirectory> directory();

  /** Returns the fabrics of this process, best first, and unusable ones with reasons. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<List<FabricInfo>> fabrics();

  /**
   * Watches the other nodes of the group: reports present ones, then each that appears or disappears, in order. A node that returns after a
   * partition disappears first.
   *
   * @return stops the watch
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<DirectoryWatch> watchPeers(Handler<PeerEvent> handler);

  /**
   * Pings a peer over each fabric that reaches it, in turn. Every listening node replies by itself. Waits for the name to appear.
   *
   * @param name of a service, for all its instances; or a node id or its beginning
   * @return a report per peer and device; fails with {@link RdmaException} {@code NOT_FOUND} if nothing has the name
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<List<PingReport>> ping(String name, PingOptions options);

  /** Pings a peer with default options. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  default Future<List<PingReport>> ping(String name) {
    return ping(name, new PingOptions());
  }

  /**
   * Returns whether a connected node has been silent for {@link RdmaOptions#setSuspectTimeout suspectTimeout}, as if stopped. Its
   * connections stay open. False for unknown nodes. Any thread; does not block.
   */
  boolean isSuspected(String nodeId);

  /**
   * Returns whether this node works: it has started, its event loops respond, and the directory has it. For health checks.
   *
   * @return never fails
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<HealthReport> health();

  /** Returns statistics of this node's connections, devices and regions, collected from its event loops. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<NodeStatistics> statistics();

  /**
   * Returns statistics of any node of the directory, over a control connection, which is made if there is none. That node then measures the
   * round trip of its connections, for the next call. Another node's reply is at most 32 KiB of JSON: the rest of its connections and
   * regions is omitted, and the last of its errors states how many.
   *
   * @return fails if the directory does not have the node, it is unreachable, does not reply within 5 s, is still replying to a call of
   * this node, or has its {@link RdmaOptions#setStatistics statistics} off, which does not apply to this node itself
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<NodeStatistics> statistics(String nodeId);

  /** Closes connections, servers and regions, then the devices. Idempotent: all calls complete together. */
  Future<Void> close();
}
