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
 * RDMA in a Vert.x: servers and connections over the devices of this machine, and memory that other nodes use.
 *
 * <p>Methods may be called from any thread; futures complete and handlers run on the context of the caller. {@link #create} never blocks:
 * devices and the directory are opened by the first operation that needs them, which waits for them.
 */
@VertxGen
public interface Rdma {

  /**
   * With the options of the process: those of the file that {@code -Dvertx.rdma.config} or VERTX_RDMA_CONFIG names, else of
   * {@code vertx-rdma.json} on the class path, else the defaults. The network stack of this Vert.x has the same, so both are one node.
   */
  static Rdma create(Vertx vertx) {
    return create(vertx, TransportRdma.options(vertx));
  }

  /**
   * With options of its own. The first operation starts its node; if that fails, the next one tries again. It closes with {@link #close},
   * with the verticle that makes it, or with the Vert.x; and with each verticle what was made there by it: servers, connections, offers,
   * regions, clients.
   */
  static Rdma create(Vertx vertx, RdmaOptions options) {
    return new RdmaImpl(vertx, options, null);
  }

  /**
   * With a directory that was opened already, whatever {@link RdmaOptions#getDirectory} says: one of the caller's own making, or one that a
   * factory method gave, as for a Hazelcast instance of one's own.
   *
   * @param directory of this Vert.x. A directory is that of one node, so all that are made with it have the same options. The first
   *   operation takes it over: the node is published in it, and it is closed when the last {@code Rdma} with it closes
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  static Rdma create(Vertx vertx, RdmaOptions options, DirectoryBackend directory) {
    return new RdmaImpl(vertx, options, Objects.requireNonNull(directory, "directory"));
  }

  /**
   * An address for the servers and clients of Vert.x itself (net, HTTP, WebSocket): what listens there is reached over a fabric and not by
   * TCP, and what connects to it goes over a fabric or fails. It is {@code SocketAddress.domainSocketAddress("rdma://host:port")}, since
   * Vert.x has inet and domain-socket addresses only; in a URL, {@code rdma:} is refused by Vert.x before it asks its transport.
   *
   * <p>A server listens on it; a {@code NetClient} connects to it; a request of an {@code HttpClient} names it by {@code setServer} beside
   * its URL. A {@code WebSocketClient} knows hosts and ports only; by these it finds the server over the fabric as well, once this Vert.x
   * has started its node. A server's TCP port is taken, so that nobody else of the host has the same address; who connects to it by TCP is
   * turned away.
   *
   * @param host a name, or an IP address
   * @param port 1 … 65,535; a server cannot leave it to the system, since Vert.x would not tell which one it got
   */
  static SocketAddress address(String host, int port) {
    return SocketAddress.domainSocketAddress("rdma://" + (host.indexOf(':') < 0 ? host : '[' + host + ']') + ':' + port);
  }

  /** A server, which does nothing before it listens. */
  default RdmaServer createServer() {
    return createServer(new RdmaServerOptions());
  }

  /** A server, which does nothing before it listens. */
  RdmaServer createServer(RdmaServerOptions options);

  /** Connects to a service of the directory; waits for its name to appear. */
  default Future<RdmaConnection> connect(String name) {
    return connect(name, new RdmaConnectOptions());
  }

  /**
   * Connects to a service of the directory, over the best fabric that both ends can reach each other by; the next if that fails, unless
   * one is forced.
   *
   * @return fails with {@link RdmaException}: {@code NOT_FOUND}, {@code UNREACHABLE} with every fabric's reason, {@code REJECTED} with the
   *   server's words, {@code NOT_AUTHENTIC}
   */
  Future<RdmaConnection> connect(String name, RdmaConnectOptions options);

  /** Connects likewise to one instance of a name, of those that the {@link #directory} tells of; the lookup timeout is not used. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<RdmaConnection> connect(ServiceEntry instance, RdmaConnectOptions options);

  /**
   * Connects to a host and port at which a server {@link RdmaServer#listen(SocketAddress) listens}, over a fabric that is reached by IP.
   */
  Future<RdmaConnection> connect(SocketAddress address, RdmaConnectOptions options);

  /** Connects likewise, with default options. */
  default Future<RdmaConnection> connect(SocketAddress address) {
    return connect(address, new RdmaConnectOptions());
  }

  /** Connects likewise. */
  default Future<RdmaConnection> connect(int port, String host) {
    return connect(SocketAddress.inetSocketAddress(port, host));
  }

  /** A client of a service of the event bus, with default options. */
  default Future<RdmaBusClient> connectBus(String service) {
    return connectBus(service, new RdmaBusClientOptions());
  }

  /**
   * A client of a service of the event bus, which a verticle {@code rdma:name} offers. It connects to one instance, and waits for the name
   * to appear.
   *
   * @return fails with {@link RdmaException}: {@code NOT_FOUND} with the name and the time waited, {@code UNREACHABLE} with every fabric's
   *   reason, {@code NOT_AUTHENTIC}
   * @throws IllegalArgumentException if the options have what is a verticle's alone: an address, or RDMA options
   */
  Future<RdmaBusClient> connectBus(String service, RdmaBusClientOptions options);

  /** An offer of a connection that is made out of band, with default options. */
  default Future<RdmaOffer> createOffer() {
    return createOffer(new RdmaOfferOptions());
  }

  /**
   * An offer of a connection that is made out of band: it has no peer yet, and knows of none by directory or address. The queue pair is
   * made on the event loop of the caller's context.
   *
   * @return fails with {@link RdmaException}: {@code UNSUPPORTED} if no device here can, or the one that is forced cannot, {@code LIMIT}
   *   if there are no more queue pairs or no memory
   */
  Future<RdmaOffer> createOffer(RdmaOfferOptions options);

  /**
   * Raw mode: opens a device for the caller alone, whose completion queue the event loop of the caller's context polls from then on.
   *
   * @param name of a device or fabric, as {@link RdmaOptions#setFabric} has it: {@code verbs:mlx5_0}, {@code tcp}
   * @return fails with {@link RdmaException} {@code UNSUPPORTED} if there is no such device, with what there is; with a {@code
   *   ProviderException} if it cannot be opened
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<RdmaDevice> openDevice(String name);

  /** Makes memory that other nodes can use; with a name, the directory tells of it. */
  Future<MemoryRegion> createRegion(RegionOptions options);

  /**
   * Makes a region of memory that the application has, such as a mapped file or what another library has filled. It is neither copied nor
   * zeroed. The caller keeps it alive, and its file as long as it is, until {@link MemoryRegion#close} completes: what is freed earlier is
   * used all the same. Over {@code shm} peers cannot map it: the owner's event loop carries their operations out, as over sockets. A device
   * that pins memory may refuse a mapped file that can be written.
   *
   * @param memory outside of the heap, at a multiple of 8 bytes, for any thread; read-only if peers only read
   * @param options without size and file
   * @return fails with {@link RdmaException}, {@code LIMIT} if every device refuses it
   * @throws IllegalArgumentException if it cannot be a region on any device, with what speaks against it
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<MemoryRegion> createRegion(MemorySegment memory, RegionOptions options);

  /** Opens a region that another node, or this one, shares by name; waits for the name to appear. */
  default Future<RemoteRegion> openRegion(String name) {
    return openRegion(name, new RegionOpenOptions());
  }

  /** Opens a region that is shared by name. */
  Future<RemoteRegion> openRegion(String name, RegionOpenOptions options);

  /** The directory of this node, to look into. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<RdmaDirectory> directory();

  /** The fabrics of this process, best first, and those that it cannot use, with the reasons. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<List<FabricInfo>> fabrics();

  /**
   * Hears of the other nodes of the group: of those that are there, then of each that comes or goes, in order. A node that comes back after
   * it was cut off goes and comes.
   *
   * @return what ends it
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<DirectoryWatch> watchPeers(Handler<PeerEvent> handler);

  /**
   * Asks a peer for an answer over each fabric that reaches it, in turn; every node that listens answers by itself. Waits for the name to
   * appear.
   *
   * @param name of a service, all instances of which are asked; or a node id, or how node ids begin
   * @return a report for each peer and device; fails with {@link RdmaException} {@code NOT_FOUND} if nobody has the name
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<List<PingReport>> ping(String name, PingOptions options);

  /** Asks likewise, with default options. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  default Future<List<PingReport>> ping(String name) {
    return ping(name, new PingOptions());
  }

  /**
   * Returns whether a node that this one is connected with has been silent for {@link RdmaOptions#setSuspectTimeout suspectTimeout}, as one
   * whose process is stopped is. Its connections stand. False for a node that is not known. Any thread; it does not wait.
   */
  boolean isSuspected(String nodeId);

  /**
   * Whether this node can do its work: it has started, each of its event loops answers, and the directory has it. For health checks.
   *
   * @return never fails
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<HealthReport> health();

  /** Statistics of this node: its connections, devices and regions, each event loop asked for its part. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<NodeStatistics> statistics();

  /**
   * How a node of the directory stands, this one or another, which is asked over the control connection of the two; that is made if there
   * is none. The node then measures how long its peers take to answer over each connection, of which the next call tells. What another
   * tells is at most 32 KiB long as JSON: connections and regions beyond that are left out, and the last of its errors says how many.
   *
   * @return fails if the directory has no such node, if it cannot be reached or does not answer within 5 s, if it is still answering a
   *   call of this node, or if its {@link RdmaOptions#setStatistics statistics} are off; this node answers itself also then
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<NodeStatistics> statistics(String nodeId);

  /** Closes connections, servers and regions, then the devices. Idempotent: whoever calls waits for the same end. */
  Future<Void> close();
}
