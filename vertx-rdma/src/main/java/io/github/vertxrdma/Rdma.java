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
 * Entry point of this library in one Vert.x instance: creates servers and connections over RDMA devices, and memory regions for other
 * nodes.
 *
 * <p>Any thread may call methods. Futures complete and handlers run on the caller's context. {@link #create} never blocks. The first
 * operation waits until the devices and the directory are open.
 */
@VertxGen
public interface Rdma {

  /**
   * Creates an instance with the options of the process: from the file named by {@code -Dvertx.rdma.config} or the environment variable
   * VERTX_RDMA_CONFIG, otherwise from {@code vertx-rdma.json} on the class path, otherwise the defaults. Uses the same node as the
   * network stack of this Vert.x.
   */
  static Rdma create(Vertx vertx) {
    return create(vertx, TransportRdma.options(vertx));
  }

  /**
   * Creates an instance with given options.  The first operation starts the node; if the start fails, the next operation retries it. The
   * instance closes with the verticle or Vert.x that created it. Resources that a verticle opens close with that verticle.
   */
  static Rdma create(Vertx vertx, RdmaOptions options) {
    return new RdmaImpl(vertx, options, null);
  }

  /**
   * Creates an instance with an open directory, such as one for an existing Hazelcast instance.
   *
   * @param options {@link RdmaOptions#getDirectory} is ignored. All instances that use the directory need equal options
   * @param directory open directory of one node of this Vert.x; closed with the last {@code Rdma} that uses it
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  static Rdma create(Vertx vertx, RdmaOptions options, DirectoryBackend directory) {
    return new RdmaImpl(vertx, options, Objects.requireNonNull(directory, "directory"));
  }

  /**
   * Returns an address for Vert.x's servers and clients (net, HTTP, WebSocket) that is reached only over a fabric, not by TCP:
   * {@code SocketAddress.domainSocketAddress("rdma://host:port")}. Vert.x refuses {@code rdma:} in URLs.
   *
   * <p>A server listens on the address, and closes TCP connections to the same port. A {@code NetClient} connects to the address. For an
   * {@code HttpClient} request, set it by {@code setServer}. A {@code WebSocketClient} takes host and port, and uses the fabric once this
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
   * Connects to a service of the directory. If the directory does not contain the name, waits for it. Tries shared fabrics, best first,
   * unless the options name one.
   *
   * @return fails with {@link RdmaException}: {@code NOT_FOUND}, {@code UNREACHABLE} with the reasons of all fabrics, {@code REJECTED}
   * with the server's reason, {@code NOT_AUTHENTIC}
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
   * @throws IllegalArgumentException if the options contain an address or RDMA options, which only verticles use
   */
  Future<RdmaBusClient> connectBus(String service, RdmaBusClientOptions options);

  /**
   * Opens a device in raw mode. The event loop of the caller's context polls its completion queue.
   *
   * @param name of a device or fabric, as for {@link RdmaOptions#setFabric}: {@code verbs:mlx5_0}, {@code tcp}
   * @return fails with {@link RdmaException} {@code UNSUPPORTED} and a list of devices if there is no such device, or with a {@code
   * ProviderException} if it cannot be opened
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<RdmaDevice> openDevice(String name);

  /** Creates a memory region for other nodes. A region with a name is published in the directory. */
  Future<MemoryRegion> createRegion(RegionOptions options);

  /**
   * Creates a region of existing memory, such as a mapped file, without copying or zeroing it. Until {@link MemoryRegion#close}
   * completes, the caller must not free the memory or truncate the mapped file. Peers on the fabric {@code shm} cannot map the memory, so
   * the owner's event loop executes their operations. A device that pins memory may refuse a writable mapped file.
   *
   * @param memory native, aligned to 8 bytes, accessible from any thread. May be read-only if peers only read
   * @param options must not set size or file
   * @return fails with {@link RdmaException} {@code LIMIT} if every device refuses the memory
   * @throws IllegalArgumentException if the memory is unsuitable for any device
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<MemoryRegion> createRegion(MemorySegment memory, RegionOptions options);

  default Future<RemoteRegion> openRegion(String name) {
    return openRegion(name, new RegionOpenOptions());
  }

  /**
   * Opens a named region of any node. If the directory does not contain the name, waits for it. Retries
   * {@link RegionOpenOptions#getReconnectAttempts} times.
   *
   * @return fails with {@link RdmaException}: {@code NOT_FOUND}, {@code UNREACHABLE}, {@code ACCESS_DENIED}, {@code REVOKED}
   */
  Future<RemoteRegion> openRegion(String name, RegionOpenOptions options);

  /** Returns a read-only view of this node's directory. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<RdmaDirectory> directory();

  /** Returns the usable fabrics of this process, best first, then the unusable ones with the reasons. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<List<FabricInfo>> fabrics();

  /**
   * Watches the other nodes of the group. Calls the handler with {@code UP} for each present node, then with each change, in order. A
   * node that returns after a network partition is reported {@code DOWN} before {@code UP}.
   *
   * @return function that stops the watch
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<DirectoryWatch> watchPeers(Handler<PeerEvent> handler);

  /**
   * Measures round trips to peers over each fabric that reaches them. Only nodes that listen reply. If the directory does not contain the
   * name, waits for it.
   *
   * @param name of a service, to ping all its instances; or a node id or its beginning
   * @return a report per peer and device; fails with {@link RdmaException} {@code NOT_FOUND} if nothing has the name
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<List<PingReport>> ping(String name, PingOptions options);

  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  default Future<List<PingReport>> ping(String name) {
    return ping(name, new PingOptions());
  }

  /**
   * Returns whether a connected node has been silent for {@link RdmaOptions#setSuspectTimeout suspectTimeout}. False for unknown nodes.
   * After a pause without calls, the result may be some seconds old: call this again. Thread-safe; does not block.
   */
  boolean isSuspected(String nodeId);

  /**
   * Checks that this node has started, that its event loops respond, and that the directory contains it.
   *
   * @return never fails
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<HealthReport> health();

  /** Returns statistics of this node, collected from its event loops. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<NodeStatistics> statistics();

  /**
   * Returns statistics of any node of the directory over a control connection. After replying, that node measures the round trips of its
   * connections; the next call returns them. A reply has at most 32 KiB of JSON. Connections and regions that do not fit are omitted, and
   * the last error states their number.
   *
   * @return fails if the directory does not contain the node, or the node is unreachable, does not reply within 5 s, is still replying to
   * an earlier call of this node, or is another node with {@link RdmaOptions#setStatistics statistics} off
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<NodeStatistics> statistics(String nodeId);

  /** Closes connections, servers and regions, then the devices. Idempotent. */
  Future<Void> close();
}
