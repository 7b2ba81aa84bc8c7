package io.github.vertxrdma.suites;

import static io.github.vertxrdma.provider.contract.Await.until;
import static io.github.vertxrdma.suites.TestCluster.await;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaAuthorizer;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RdmaServer;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.peers.ClusterSecret;
import io.github.vertxrdma.provider.contract.attack.Attacker;
import io.github.vertxrdma.provider.contract.attack.Games;
import io.github.vertxrdma.provider.contract.attack.Judge;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Two nodes in this process, which exchange messages, connect, grant, revoke, pause, and call services while others attack them. Arguments:
 * the fabric, folders for the directory and of the listeners' sockets, then names and values of system properties.
 */
final class AttackedNodes implements Games.Work {
  /** System property: the node's host, or none for the default. */
  static final String HOST = "attack.host";
  private static final int SIZE = 1 << 16;
  private static final int SLICE = 4096;
  private static final int LONGEST = 100_000;
  /** Exchanges after which all memory that the nodes share is in use. */
  private static final int WARM = 200;
  /** Descriptors and mappings of files of 8 pieces. Two event loops keep 64 pieces each, for large messages to nodes that connect again. */
  private static final int KEPT = 2 * 2 * (64 / 8);
  private static final int SECONDS = 20;
  private static final int ACTS = 7;
  private static final int DELAYED = 5;
  private static final List<Executor> LOOPS = new ArrayList<>();

  private final Rdma server;
  private final Rdma client;
  private final Random random = new Random(7);
  private final Buffer content = Buffer.buffer(bytes(SIZE));
  /** Regions that the server grants on request, by a word that attackers do not know. */
  private final Map<String, CompletableFuture<MemoryRegion>> wanted = new ConcurrentHashMap<>();
  private final BlockingQueue<Buffer> echoes = new LinkedBlockingQueue<>();
  private final MemoryRegion readable;
  /** Region that only the client may change. */
  private final MemoryRegion hidden;
  private final RdmaConnection connection;
  private final AttackedServices services;
  /** Address of a server without a name, to which a client sends no proof with its request; null over shared memory. */
  private final SocketAddress address;
  private List<String> before = List.of();
  private long turns;

  private AttackedNodes(Rdma server, Rdma client, boolean hasPorts) throws Exception {
    this.server = server;
    this.client = client;
    readable = region(new RegionOptions().setName("readable").setSize(SIZE).setAccess(RegionAccess.READ))
      .notificationHandler(notification -> {
      });
    MemoryRegion pool = region(new RegionOptions().setName("pool").setSize(SIZE).setAccess(RegionAccess.READ));
    await(server.createRegion(pool.segment().asSlice(0, SLICE), new RegionOptions().setName("slice").setAccess(RegionAccess.READ)));
    await(server.createRegion(new RegionOptions().setName("open").setSize(SLICE).setAccess(RegionAccess.values())));
    await(server.createServer().connectHandler(each -> each.handler(message -> received(each, message))).listen("echo"));
    await(server.createServer().connectHandler(RdmaConnection::pause).listen("paused"));
    await(server.createServer().connectHandler(each -> {
    }).listen("private"));
    region(new RegionOptions().setName("private").setSize(SLICE).setAccess(RegionAccess.READ));
    connection = connect(echoes);
    hidden = grant(connection, new CompletableFuture<>());
    services = new AttackedServices(server, client);
    address = hasPorts ? listen() : null;
  }

  public static void main(String[] arguments) throws Exception {
    for (int i = 3; i < arguments.length; i += 2) {
      System.setProperty(arguments[i], arguments[i + 1]);
    }
    configure(arguments[0], Path.of(arguments[1]), Access.class.getName());
    AttackedNodes nodes = new AttackedNodes(node(), node(), !arguments[0].equals("shm"));
    Games.Invitation invitation = nodes.invite(Path.of(arguments[2]));
    Games.serve(invitation, new Judge(LOOPS), nodes);
  }

  /** Makes all nodes and streams of this process use a fabric. @param directory folder that need not exist */
  static void configure(String fabric, Path directory, String authorizer) throws IOException {
    RdmaOptions options = new RdmaOptions().setFabric(fabric).setHost(System.getProperty(HOST)).setAuthorizerClass(authorizer)
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(directory.toString()));
    Path file = directory.resolveSibling("options" + ProcessHandle.current().pid() + ".json");
    System.setProperty("vertx.rdma.config", Files.writeString(file, options.toJson().encode()).toString());
    System.setProperty("vertx.rdma.streams", "all");
  }

  private static Rdma node() {
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    Context context = vertx.getOrCreateContext();
    LOOPS.add(task -> context.runOnContext(v -> task.run()));
    return Rdma.create(vertx);
  }

  /** Refuses the service and the region {@code private}. */
  public static final class Access implements RdmaAuthorizer {
    @Override
    public boolean mayConnect(String nodeId, String service) {
      return !service.equals("private");
    }

    @Override
    public boolean mayOpen(String nodeId, String region, RegionAccess access) {
      return !region.equals("private");
    }
  }

  private Games.Invitation invite(Path folder) throws Exception {
    for (turns = 0; turns < WARM; turns++) {
      exchange();
    }
    for (int i = 0; i < ACTS; i++) {
      turn();
    }
    before = Attacker.held();
    var found = await(client.directory());
    return new Games.Invitation(HexFormat.of().formatHex(ClusterSecret.load(null).derive("handshake 1", 32)),
      found.regions().stream().map(each -> each.regionId()).toList(), List.of(found.nodeId(), await(server.directory()).nodeId()), "-",
      sockets(folder), address == null ? List.of(services.port(), services.idlePort()) : List.of(address.port()));
  }

  private SocketAddress listen() throws Exception {
    RdmaServer direct = server.createServer().connectHandler(each -> each.handler(each::write));
    await(direct.listen(SocketAddress.inetSocketAddress(0, AttackedServices.HOST)));
    return SocketAddress.inetSocketAddress(direct.actualPort(), AttackedServices.HOST);
  }

  private static List<String> sockets(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of("-");
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> !Files.isRegularFile(file)).map(Path::toString).sorted().toList();
    }
  }

  private MemoryRegion region(RegionOptions options) throws Exception {
    return await(server.createRegion(options)).write(0, content.slice(0, (int) options.getSize()));
  }

  private void received(RdmaConnection from, Buffer message) {
    CompletableFuture<MemoryRegion> granted = wanted.remove(message.toString());
    if (granted == null) {
      // An attacker that sends much and reads nothing gets no answers.
      if (message.length() <= LONGEST && !from.writeQueueFull()) {
        from.write(message);
      }
      return;
    }
    server.createRegion(new RegionOptions().setSize(SLICE).setAccess(RegionAccess.values()))
      .map(made -> made.write(0, content.slice(0, SLICE)))
      .compose(made -> from.grant(made).map(made))
      .onSuccess(granted::complete).onFailure(granted::completeExceptionally);
  }

  private RdmaConnection connect(BlockingQueue<Buffer> into) throws Exception {
    return await(client.connect("echo", new RdmaConnectOptions().setReconnectAttempts(0))).handler(into::add);
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  @Override
  public void turn() throws Exception {
    exchange();
    switch ((int) (turns++ % ACTS)) {
      case 0 -> {
        connectMore();
        if (address != null) {
          connectByAddress();
        }
      }
      case 1 -> grantAndRevoke();
      case 2 -> pause();
      case 3 -> services.callFunctions(message());
      case 4 -> services.callContract(message());
      case 5 -> services.useStreams(message());
      default -> checkMemory();
    }
  }

  private void exchange() throws Exception {
    exchange(connection, echoes, message());
  }

  private Buffer message() {
    return Buffer.buffer(bytes(1 + random.nextInt(turns % 8 == 0 ? LONGEST : 2000)));
  }

  private static void exchange(RdmaConnection over, BlockingQueue<Buffer> from, Buffer message) throws Exception {
    over.write(message);
    check(message, from);
  }

  private static void check(Buffer message, BlockingQueue<Buffer> from) throws Exception {
    Buffer echo = from.poll(SECONDS, TimeUnit.SECONDS);
    if (!message.equals(echo)) {
      throw new AssertionError(echo == null ? "a message has not come back" : "a message was changed");
    }
  }

  private void connectMore() throws Exception {
    BlockingQueue<Buffer> into = new LinkedBlockingQueue<>();
    RdmaConnection more = connect(into);
    exchange(more, into, Buffer.buffer("words"));
    await(more.close());
  }

  private void connectByAddress() throws Exception {
    BlockingQueue<Buffer> into = new LinkedBlockingQueue<>();
    RdmaConnection more = await(client.connect(address, new RdmaConnectOptions().setReconnectAttempts(0))).handler(into::add);
    exchange(more, into, Buffer.buffer("words"));
    await(more.close());
  }

  /** Makes the server grant a new region. */
  private MemoryRegion grant(RdmaConnection over, CompletableFuture<RemoteRegion> granted) throws Exception {
    String word = HexFormat.of().formatHex(bytes(16));
    CompletableFuture<MemoryRegion> own = new CompletableFuture<>();
    wanted.put(word, own);
    over.grantHandler(granted::complete);
    await(over.write(Buffer.buffer(word)));
    return own.get(SECONDS, TimeUnit.SECONDS);
  }

  private void grantAndRevoke() throws Exception {
    CompletableFuture<RemoteRegion> granted = new CompletableFuture<>();
    RdmaConnection more = connect(new LinkedBlockingQueue<>());
    MemoryRegion own = grant(more, granted);
    RemoteRegion remote = granted.get(SECONDS, TimeUnit.SECONDS);
    if (!await(remote.read(0, SLICE)).equals(content.slice(0, SLICE))) {
      throw new AssertionError("granted memory was changed");
    }
    await(own.close());
    Future<Buffer> after = remote.read(0, SLICE);
    until("a read of a revoked region ends", after::isComplete);
    if (after.succeeded()) {
      throw new AssertionError("a revoked region was read");
    }
    await(more.close());
  }

  private void pause() throws Exception {
    List<Buffer> messages = new ArrayList<>();
    connection.pause();
    for (int i = 0; i < DELAYED; i++) {
      messages.add(Buffer.buffer(bytes(100)));
      connection.write(messages.getLast());
    }
    connectMore();
    connection.resume();
    for (Buffer each : messages) {
      check(each, echoes);
    }
  }

  private void checkMemory() {
    if (!readable.read(0, SIZE).equals(content)) {
      throw new AssertionError("memory that others may only read was changed");
    }
    if (!hidden.read(0, SLICE).equals(content.slice(0, SLICE))) {
      throw new AssertionError("memory of which others do not know the key was changed");
    }
  }

  @Override
  public void rest() {
    try {
      until("nothing is left", () -> {
        List<String> now = Attacker.held();
        return now.stream().noneMatch(each -> each.contains("/memfd:attack")) && sockets(now) <= sockets(before)
          && now.size() <= before.size() + KEPT;
      });
    } catch (AssertionError e) {
      throw new AssertionError("before: " + before + ", left: " + Attacker.held(), e);
    }
  }

  private static long sockets(List<String> held) {
    return held.stream().filter(each -> each.startsWith("socket:")).count();
  }
}
