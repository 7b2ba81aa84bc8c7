package io.github.vertxrdma.suites;

import static io.github.vertxrdma.provider.contract.Await.until;
import static io.github.vertxrdma.suites.TestCluster.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.impl.peers.ClusterSecret;
import io.github.vertxrdma.impl.peers.ControlLinks;
import io.github.vertxrdma.impl.peers.ControlSettings;
import io.github.vertxrdma.impl.peers.ControlSocket;
import io.github.vertxrdma.impl.transport.TransportOptions;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.attack.Games;
import io.github.vertxrdma.provider.contract.plants.Plant;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import java.io.File;
import java.io.IOException;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A node that knows the secret, uses the services and regions of others, and changes what it sends: fields and payloads of frames, its own
 * id, and its rights. Its library has {@link #CHANGES}. Arguments: the fabric, a folder for the directory, then names and values of system
 * properties. Commands: the number of a game, a seed, and the ids of the two others.
 */
public final class HostileMember implements Games.LastingAttack {
  private static final List<Plant> CHANGES = List.of(
    new Plant("any frame is sent", "impl.link.FrameWriter.post", "encode", (code, call) -> code.invokestatic(
      ClassDesc.of(HostileMember.class.getName()), "encode", call.typeSymbol())),
    new Plant("any control frame is sent", "impl.peers.ControlSocket.write", "encode", (code, call) -> code.invokestatic(
      ClassDesc.of(HostileMember.class.getName()), "control", call.typeSymbol())),
    new Plant("any message is sent", "impl.api.RdmaConnectionImpl.write", "isFrame", (code, call) -> code.invokestatic(
      ClassDesc.of(HostileMember.class.getName()), "message", call.typeSymbol().insertParameterTypes(0, ConstantDescs.CD_Object))),
    new Plant("it asks for any service", "impl.link.Greeting.encode", "text", (code, call) -> code.invokestatic(
      ClassDesc.of(HostileMember.class.getName()), "text",
      call.typeSymbol().insertParameterTypes(0, ClassDesc.of(Cursor.class.getName())))),
    new Plant("it ignores its rights", "impl.region.RemoteRegionImpl.refusal", "contains", Plant.answer(true)));
  private static final byte[] CONTROLS = "\n\u001b[2J\r\u202e".getBytes(StandardCharsets.UTF_8);
  /** A text that is not shorter than {@link #CONTROLS}. */
  private static final Pattern TEXT = Pattern.compile("[ -~]{" + CONTROLS.length + "}");
  private static final Buffer LARGE = Buffer.buffer(new byte[20 << 20]);
  private static final int FILLED = 16;
  static final RdmaConnectOptions ONCE = new RdmaConnectOptions().setReconnectAttempts(0);
  private static final List<RdmaConnection> PAUSED = new ArrayList<>();
  private static final int SIZE = 4096;
  private static final Duration TIMEOUT = Duration.ofMillis(500);
  /** Less than the time for which a refused connection is tried again. */
  private static final Duration CLAIM = Duration.ofSeconds(2);

  private static volatile Random random;
  private final ChildJvm process;

  private HostileMember(ChildJvm process) {
    this.process = process;
  }

  /** Starts a hostile member. @param folder folder for its changed classes */
  static HostileMember start(Path folder, String... arguments) throws IOException {
    Path classes = Files.createTempDirectory(folder, "hostile");
    for (Plant each : CHANGES) {
      each.write(classes);
    }
    return new HostileMember(ChildJvm.startOn(classes + File.pathSeparator + System.getProperty("java.class.path"), HostileMember.class,
      arguments));
  }

  @Override
  public void play(Games.Invitation to, int game, long seed) throws Exception {
    process.send(game + " " + seed + " " + String.join(" ", to.ids()));
    String outcome;
    try {
      outcome = process.await("played " + game);
    } catch (AssertionError e) {
      throw new IllegalStateException(e);
    }
    assertEquals("", outcome, "a claim of the id of a connected node, or what the authorizer refuses");
  }

  @Override
  public void close() {
    process.close();
  }

  public static void main(String[] arguments) {
    try {
      run(arguments);
    } catch (Exception | AssertionError e) {
      e.printStackTrace();
    }
    Runtime.getRuntime().halt(1);
  }

  private static void run(String[] arguments) throws Exception {
    for (int i = 2; i < arguments.length; i += 2) {
      System.setProperty(arguments[i], arguments[i + 1]);
    }
    Logger log = Logger.getLogger("io.github.vertxrdma");
    log.setLevel(Level.OFF);
    // Its loop does not send large messages.
    Vertx idle = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    AttackedNodes.configure(arguments[0], Path.of(arguments[1]), null);
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    Rdma node = Rdma.create(vertx, new RdmaOptions(TransportOptions.ofNodes(vertx)).setConnectTimeout(TIMEOUT));
    HostileClients clients = new HostileClients(node);
    List<RdmaConnection> open = new ArrayList<>();
    List<NodeEntry> others = new ArrayList<>();
    for (String line = IO.readln(); line != null; line = IO.readln()) {
      List<String> words = List.of(line.split(" "));
      int game = Integer.parseInt(words.getFirst());
      if (others.isEmpty()) {
        others.addAll(meet(node, words.subList(2, words.size())));
      }
      random = new Random(Long.parseLong(words.get(1)));
      if (game % 4 == 3) {
        int of = random.nextInt(2);
        boolean answered = claim(idle, others.get(of).nodeId(), others.get(1 - of));
        System.out.println("played " + game + (answered ? " with success" : ""));
      } else {
        play(node, game, open);
        clients.play(game, random);
        boolean admitted = soon(node.openRegion("private")) != null || soon(connect(node, "private")) != null;
        System.out.println("played " + game + (admitted ? " with success" : ""));
      }
    }
  }

  /** Waits until the nodes with these ids are known, before anything that this node sends is changed. */
  private static List<NodeEntry> meet(Rdma node, List<String> ids) throws Exception {
    RdmaDirectory directory = await(node.directory());
    until("the others are known", () -> ids.stream().allMatch(id -> directory.node(id).isPresent()));
    return ids.stream().map(id -> directory.node(id).orElseThrow()).toList();
  }

  /** Returns whether a node connects with this process under the id of a third one. */
  private static boolean claim(Vertx vertx, String id, NodeEntry of) throws Exception {
    random = null;
    NodeEntry self = NodeEntry.local(id, System.nanoTime());
    ControlLinks links = new ControlLinks(((VertxInternal) vertx).createEventLoopContext(), new ControlSettings("127.0.0.1"),
      ClusterSecret.load(null), () -> self);
    try {
      return within(CLAIM, links.link(of)) != null;
    } finally {
      links.close();
    }
  }

  private static Future<RdmaConnection> connect(Rdma node, String service) {
    return node.connect(service, ONCE);
  }

  static <T> T soon(Future<T> future) {
    return within(TIMEOUT, future);
  }

  /** Returns the result if it comes in time, or null. */
  private static <T> T within(Duration time, Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().get(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (Exception e) {
      return null;
    }
  }

  private static void play(Rdma node, int game, List<RdmaConnection> open) {
    RdmaConnection echo = soon(connect(node, "echo"));
    if (echo != null) {
      echo.exceptionHandler(e -> {
      });
      for (int i = random.nextInt(40); i >= 0; i--) {
        byte[] bytes = new byte[random.nextInt(2000)];
        random.nextBytes(bytes);
        echo.write(Buffer.buffer(bytes));
      }
      open.add(echo);
    }
    if (game % 4 == 1) {
      fill(node);
    }
    for (String name : List.of("readable", "slice", "open")) {
      RemoteRegion region = soon(node.openRegion(name));
      if (region != null) {
        RemoteRegion impatient = region.withTimeout(TIMEOUT);
        // A plain write without the right ends the connection.
        Future<?> used = switch (random.nextInt(4)) {
          case 0 -> impatient.write(random.nextInt(SIZE), Buffer.buffer("overwritten"));
          case 1 -> impatient.read(random.nextInt(SIZE), random.nextInt(SIZE));
          default -> impatient.writeNotify(random.nextInt(SIZE), Buffer.buffer("overwritten"), random.nextLong());
        };
        soon(used);
        soon(region.close());
      }
    }
    if (random.nextInt(8) == 0) {
      open.removeIf(each -> {
        each.close();
        return true;
      });
    }
  }

  /** Sends large messages to readers that are paused. */
  private static void fill(Rdma node) {
    PAUSED.forEach(RdmaConnection::close);
    PAUSED.clear();
    for (int i = 0; i < FILLED; i++) {
      RdmaConnection paused = soon(connect(node, "paused"));
      if (paused != null) {
        paused.exceptionHandler(e -> {
        });
        PAUSED.add(paused);
        paused.write(LARGE);
      }
    }
  }

  /** In place of {@link Frame#encode}. */
  public static void encode(MemorySegment m, long at, int type, int flags, int data, int control, int sequence, int length, long a,
    long b) {
    Random with = random;
    if (with == null || with.nextInt(type == Frame.HELLO || type == Frame.REQUEST || type == Frame.END ? 4 : 64) > 0) {
      Frame.encode(m, at, type, flags, data, control, sequence, length, a, b);
      return;
    }
    int[] head = {type, flags, data, control, sequence, length};
    long[] fields = {a, b};
    switch (with.nextInt(4)) {
      case 0 -> head[with.nextInt(head.length)] = with.nextBoolean() ? with.nextInt() : with.nextInt(48);
      case 1 -> fields[with.nextInt(2)] = with.nextBoolean() ? with.nextLong() : with.nextInt(100);
      default -> {
        if (type == Frame.RTS) {
          // Its length is that of a message in other memory.
          break;
        }
        byte[] payload = m.asSlice(at + Frame.SIZE, length).toArray(ValueLayout.JAVA_BYTE);
        MemorySegment.copy(changed(payload, with), 0, m, ValueLayout.JAVA_BYTE, at + Frame.SIZE, length);
      }
    }
    Frame.encode(m, at, head[0], head[1], head[2], head[3], head[4], head[5], fields[0], fields[1]);
  }

  /** In place of {@link ControlSocket#encode}. */
  public static Buffer control(byte type, Buffer payload) {
    Random with = random;
    if (with == null || with.nextInt(8) > 0) {
      return ControlSocket.encode(type, payload);
    }
    return ControlSocket.encode(with.nextInt(4) == 0 ? (byte) with.nextInt(20) : type, Buffer.buffer(changed(payload.getBytes(), with)));
  }

  /** In place of a method that the library calls with each message of an application. */
  public static boolean message(Object connection, ByteBuf message) {
    Random with = random;
    if (with != null && with.nextInt(8) == 0) {
      byte[] bytes = new byte[Math.min(message.readableBytes(), SIZE)];
      message.getBytes(message.readerIndex(), bytes);
      message.setBytes(message.readerIndex(), changed(bytes, with));
    }
    return false;
  }

  /** Changes a byte, or writes control characters into a text. */
  private static byte[] changed(byte[] bytes, Random with) {
    if (bytes.length == 0) {
      return bytes;
    }
    int at = with.nextInt(bytes.length);
    Matcher text = TEXT.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
    List<MatchResult> texts = text.results().toList();
    if (texts.isEmpty() || with.nextInt(4) == 0) {
      bytes[at] = (byte) with.nextInt();
    } else {
      System.arraycopy(CONTROLS, 0, bytes, texts.get(with.nextInt(texts.size())).start(), CONTROLS.length);
    }
    return bytes;
  }

  /** In place of {@link Cursor#text}. */
  public static Cursor text(Cursor out, int prefix, String value) {
    Random with = random;
    return out.text(prefix, with != null && value.startsWith("endpoint/") && with.nextInt(4) == 0 ? "\n\u001b[2J\u202e" : value);
  }
}
