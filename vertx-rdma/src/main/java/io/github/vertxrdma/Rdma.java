package io.github.vertxrdma;

import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.api.RdmaImpl;
import io.github.vertxrdma.impl.transport.TransportOptions;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.codegen.annotations.GenIgnore;
import io.vertx.codegen.annotations.VertxGen;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.SocketAddress;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/**
 * Entry point of this library in one Vert.x instance. Creates servers and connections over fabrics (networks with RDMA), and memory regions
 * that other nodes read and write remotely. {@code Rdma}s with equal options share one node.
 *
 * <p>Any thread may call methods. Futures complete and handlers run on the caller's context. The first operation starts the node, and waits
 * until the network devices and the directory are open. {@link #create} may read the options file of the process on the calling thread.
 */
@VertxGen
public interface Rdma {

  /**
   * Creates an instance with the options of the process, on the same node as the network stack of this Vert.x. The options are in the file
   * named by {@code -Dvertx.rdma.config} or the environment variable VERTX_RDMA_CONFIG, otherwise in {@code vertx-rdma.json} on the class
   * path.
   */
  static Rdma create(Vertx vertx) {
    return create(vertx, TransportOptions.ofNodes(vertx));
  }

  /**
   * Creates an instance with given options. If the start of the node fails, the next operation retries it. The instance closes with the
   * verticle or Vert.x that created it. Resources that a verticle opens close with that verticle.
   */
  static Rdma create(Vertx vertx, RdmaOptions options) {
    return new RdmaImpl(vertx, options, null);
  }

  /**
   * Creates an instance with an open directory, such as one for an existing Hazelcast instance. A failed start of the node closes the
   * directory and is not retried.
   *
   * @param options {@link RdmaOptions#getDirectory} is ignored. All instances that use the directory need equal options
   * @param directory open directory of one node of this Vert.x; closed with the last {@code Rdma} that uses it
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  static Rdma create(Vertx vertx, RdmaOptions options, DirectoryBackend directory) {
    return new RdmaImpl(vertx, options, Objects.requireNonNull(directory, "directory"));
  }

  /**
   * Returns an address for Vert.x's servers and clients that is reached only over a fabric, not by TCP: {@code
   * SocketAddress.domainSocketAddress("rdma://host:port")}.
   *
   * <p>A server listens on the address, and closes TCP connections to the same port. A {@code NetClient} connects to it. An {@code
   * HttpClient} request sets it by {@code setServer}, not in a URL. A {@code WebSocketClient} takes host and port, and uses the fabric once
   * this Vert.x has started its node.
   *
   * @param host name or IP address
   * @param port 1 … 65,535
   */
  static SocketAddress address(String host, int port) {
    return SocketAddress.domainSocketAddress("rdma://" + (host.indexOf(':') < 0 ? host : '[' + host + ']') + ':' + port);
  }

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
   * Connects to a service of the directory. Waits up to {@link RdmaConnectOptions#getLookupTimeout} for the name. Tries the fabrics that
   * both nodes have, best first, unless the options name one.
   *
   * @return fails with {@link RdmaException}: NOT_FOUND, UNREACHABLE with the reasons of all fabrics, REJECTED with the server's reason,
   * NOT_AUTHENTIC if the cluster secrets differ
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
   * Creates a client of an event bus service, which a verticle {@code rdma:name} offers. Waits for the service like {@link #connect(String,
   * RdmaConnectOptions)}, and fails like it.
   *
   * @throws IllegalArgumentException if the options contain an address or RDMA options, which only verticles use
   */
  Future<RdmaBusClient> connectBus(String service, RdmaBusClientOptions options);

  /**
   * Opens a network device in raw mode: without messages and protocols of this library. The event loop of the caller's context polls its
   * completion queue.
   *
   * @param name of a device or fabric, as for {@link RdmaOptions#setFabric}: {@code verbs:mlx5_0}, {@code tcp}
   * @return fails with {@link RdmaException} UNSUPPORTED and a list of devices if there is no such device. Fails with a {@code
   * ProviderException} if it cannot be opened
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<RdmaDevice> openDevice(String name);

  /**
   * Creates memory that other nodes can access remotely. If the region has a name, the directory publishes it.
   *
   * @return fails with {@link RdmaException}: LIMIT if memory is short, NOT_FOUND if the file cannot be read
   */
  Future<MemoryRegion> createRegion(RegionOptions options);

  /**
   * Creates a region of existing memory, such as a mapped file, without copying or zeroing it. Until {@link MemoryRegion#close} completes,
   * the caller must not free the memory or truncate the file. Over shared memory ({@code shm}), the owner's event loop executes the
   * operations of peers. A device that pins memory may refuse a writable mapped file.
   *
   * @param memory native, aligned to 8 bytes, accessible from any thread. May be read-only if peers only read
   * @param options must not set a file or another size
   * @return fails with {@link RdmaException} LIMIT if every device refuses the memory
   * @throws IllegalArgumentException if the memory is unsuitable for any device
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<MemoryRegion> createRegion(MemorySegment memory, RegionOptions options);

  default Future<RemoteRegion> openRegion(String name) {
    return openRegion(name, new RegionOpenOptions());
  }

  /**
   * Opens a named region of any node. Waits up to {@link RegionOpenOptions#getLookupTimeout} for the name.
   *
   * @return fails with {@link RdmaException}: NOT_FOUND, UNREACHABLE, ACCESS_DENIED, REVOKED
   */
  Future<RemoteRegion> openRegion(String name, RegionOpenOptions options);

  /** Returns a read-only view of this node's directory. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<RdmaDirectory> directory();

  /** Returns the usable fabrics of this process, best first, then the unusable ones with the reasons. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<List<FabricInfo>> fabrics();

  /**
   * Measures round trips to peers over each fabric that reaches them. Only nodes that listen on a fabric reply. Waits up to {@link
   * PingOptions#getLookupTimeout} for the name.
   *
   * @param name of a service, to ping all its instances; or name or id of a node, or the beginning of an id
   * @return a report per peer and device; fails with {@link RdmaException} NOT_FOUND if nothing has the name
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<List<PingReport>> ping(String name, PingOptions options);

  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  default Future<List<PingReport>> ping(String name) {
    return ping(name, new PingOptions());
  }

  /**
   * Returns whether a connected node has been silent for {@link RdmaOptions#setSuspectTimeout suspectTimeout}. False for unknown nodes. The
   * first result after a pause may be some seconds old: call this method again. Does not block.
   */
  boolean isSuspected(String nodeId);

  /**
   * Checks that this node has started, that its event loops respond within 2 s, and that the directory contains it.
   *
   * @return never fails
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<HealthReport> health();

  /** Returns statistics of this node, collected from its event loops. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<NodeStatistics> statistics();

  /**
   * Returns statistics of any node of the directory over the TCP connection between the nodes. That node then measures the round trips of
   * its connections, which the next call returns. Connections and regions beyond 32 KiB of JSON are omitted, and the last error states
   * their number.
   *
   * @return fails if the node is not in the directory, is unreachable, or does not reply within 5 s. Also fails if it still replies to an
   * earlier call, or has {@link RdmaOptions#setStatistics statistics} off
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<NodeStatistics> statistics(String nodeId);

  /** Closes connections, servers and regions, then the devices unless another {@code Rdma} uses them. Idempotent. */
  Future<Void> close();
}
