package io.github.vertxrdma.perf.work;

import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.cluster.HazelcastDirectory;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The main class of one of many nodes of a cluster: a member of Hazelcast, which on command has a node of ours with one service, and
 * connects to one other. Times in answers are of {@link System#nanoTime}, which on one host is that of all processes. Arguments: its
 * number, fabric, name of the cluster, first port, ports.
 */
public final class GrowingNode {
  /** Patience: two processors may have dozens of such processes to serve. */
  public static final int SECONDS = 600;
  private static final long MESSAGE_MILLIS = 10;
  private static final long RETRY_MILLIS = 20;
  private static final String ESTABLISHED = "01";

  private final int number;
  private final String fabric;
  private final HazelcastInstance hazelcast;
  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
  /** Keys of the nodes and of their services that it knows. */
  private final Set<String> known = new HashSet<>();
  private Rdma rdma;
  private RdmaDirectory directory;
  private RdmaConnection connection;
  private boolean isSending;
  private long events;
  private long changed;
  private long lost;
  private long flows;

  private GrowingNode(String[] arguments) {
    number = Integer.parseInt(arguments[0]);
    fabric = arguments[1];
    hazelcast = Hazelcast
      .newHazelcastInstance(QuietHazelcast.loopback(arguments[2], Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4])));
    vertx.setPeriodic(MESSAGE_MILLIS, id -> send());
  }

  /** Ends with its input. */
  public static void main(String[] arguments) throws Exception {
    ParentInput in = new ParentInput();
    GrowingNode node = new GrowingNode(arguments);
    Answers.give(in, line -> node.answer(line.split(" ")));
    Runtime.getRuntime().halt(0);
  }

  private JsonObject answer(String[] words) throws Exception {
    return switch (words[0]) {
      case "open" -> open();
      case "close" -> close();
      case "use" -> use(Integer.parseInt(words[1]));
      case "send" -> sending(Boolean.parseBoolean(words[1]));
      case "forget" -> forget();
      case "know" -> know(Integer.parseInt(words[1]));
      case "lost" -> when("the connection to the one that was killed ends", () -> lost != 0, () -> lost);
      case "flows" -> when("a message comes back", () -> flows != 0, () -> flows);
      case "heap" -> new JsonObject().put("heap", Heap.used());
      case "look" -> look();
      default -> throw new IllegalArgumentException("there is no such command");
    };
  }

  private JsonObject open() throws Exception {
    long began = System.nanoTime();
    RdmaOptions options = new RdmaOptions().setFabric(fabric);
    rdma = Rdma.create(vertx, options, Await.await(HazelcastDirectory.open(vertx, hazelcast, new DirectoryOptions()), SECONDS));
    Await.await(rdma.createServer().connectHandler(c -> c.handler(c::write)).listen(name(number)), SECONDS);
    directory = Await.await(rdma.directory());
    directory.watch(this::heard);
    return new JsonObject().put("began", began).put("at", System.nanoTime());
  }

  private JsonObject close() throws Exception {
    long began = System.nanoTime();
    Rdma closing = rdma;
    synchronized (this) {
      rdma = null;
      connection = null;
      flows = 0;
      known.clear();
    }
    Await.await(closing.close(), SECONDS);
    return new JsonObject().put("began", began).put("at", System.nanoTime());
  }

  private static String name(int number) {
    return "node-" + number;
  }

  private synchronized void heard(DirectoryEvent event) {
    events++;
    changed = System.nanoTime();
    if (event.type() == DirectoryEvent.Type.REMOVED) {
      known.remove(event.entry().key());
    } else {
      known.add(event.entry().key());
    }
    notifyAll();
  }

  private synchronized JsonObject forget() {
    events = 0;
    lost = 0;
    return new JsonObject();
  }

  /** Waits until it knows so many nodes with their services, itself among them, and tells when it heard of the last change. */
  private JsonObject know(int count) throws InterruptedException, TimeoutException {
    return when("it knows " + count + " nodes and as many services", () -> known.size() == 2 * count, () -> changed);
  }

  private synchronized JsonObject when(String what, BooleanSupplier condition, LongSupplier at) throws InterruptedException,
    TimeoutException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (!condition.getAsBoolean()) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        throw new TimeoutException("waited in vain until " + what + "; it knows " + known);
      }
      wait(left);
    }
    return new JsonObject().put("at", at.getAsLong()).put("events", events);
  }

  private JsonObject use(int other) {
    dial(rdma, name(other));
    return new JsonObject();
  }

  /** Connects, and again when the connection has ended, until this node closes. */
  private void dial(Rdma with, String service) {
    with.connect(service).onComplete(done -> {
      synchronized (this) {
        if (rdma != with) {
          return;
        }
        if (done.failed()) {
          vertx.setTimer(RETRY_MILLIS, id -> dial(with, service));
          return;
        }
        connection = done.result();
        flows = 0;
      }
      RdmaConnection opened = done.result();
      opened.handler(message -> came()).exceptionHandler(e -> {}).closeHandler(v -> ended(with, service));
      opened.write(Buffer.buffer("hello"));
    });
  }

  private synchronized void came() {
    if (flows == 0) {
      flows = System.nanoTime();
      notifyAll();
    }
  }

  private void ended(Rdma with, String service) {
    synchronized (this) {
      connection = null;
      lost = System.nanoTime();
      flows = 0;
      notifyAll();
    }
    if (rdma == with) {
      dial(with, service);
    }
  }

  private synchronized JsonObject sending(boolean on) {
    isSending = on;
    return new JsonObject();
  }

  private void send() {
    RdmaConnection to;
    synchronized (this) {
      to = isSending ? connection : null;
    }
    if (to != null && !to.writeQueueFull()) {
      to.write(Buffer.buffer(new byte[64]));
    }
  }

  private JsonObject look() throws Exception {
    long bytes = Stream.of(directory.nodes().stream(), directory.services().stream(), directory.regions().stream())
      .flatMap(entries -> entries)
      .mapToLong(entry -> ((DirectoryEntry) entry).toBuffer().length()).sum();
    return new JsonObject().put("bytes", bytes)
      .put("control", controlConnections(directory.nodes().stream().map(NodeEntry::controlPort).collect(Collectors.toSet())));
  }

  /** Connections of this process of which one end is a node's control port, from proc_net(5); 0 where there is no /proc. */
  private static long controlConnections(Set<Integer> ports) throws IOException {
    Set<String> own = new HashSet<>();
    Path descriptors = Path.of("/proc/self/fd");
    if (!Files.isDirectory(descriptors)) {
      return 0;
    }
    try (Stream<Path> all = Files.list(descriptors)) {
      for (Path descriptor : (Iterable<Path>) all::iterator) {
        try {
          own.add(Files.readSymbolicLink(descriptor).toString());
        } catch (NoSuchFileException e) {
          // It was closed meanwhile.
        }
      }
    }
    long count = 0;
    for (String table : new String[] {"tcp", "tcp6"}) {
      Path path = Path.of("/proc/self/net", table);
      for (String line : Files.exists(path) ? Files.readAllLines(path) : Set.<String>of()) {
        String[] field = line.strip().split(" +");
        if (field.length > 9 && field[3].equals(ESTABLISHED) && own.contains("socket:[" + field[9] + "]")
          && (ports.contains(port(field[1])) || ports.contains(port(field[2])))) {
          count++;
        }
      }
    }
    return count;
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.indexOf(':') + 1), 16);
  }
}
