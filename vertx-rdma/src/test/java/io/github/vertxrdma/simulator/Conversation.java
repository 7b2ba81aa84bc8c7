package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.opening.IncomingLink;
import io.github.vertxrdma.impl.opening.LinkConnector;
import io.github.vertxrdma.impl.opening.OutOfBandEnd;
import io.github.vertxrdma.impl.wire.Frame;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.provider.rdm.RdmLayer;
import io.vertx.core.AsyncResult;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * One conversation of many nodes, all of it out of one seed: who there is, over what, what they say, and what goes wrong. Runs in the caller's
 * thread, in virtual time. What must hold is checked after every step; {@link #run} throws what did not.
 */
final class Conversation implements Simulation, Network.Watcher {
  private static final byte[] NONE = {};
  private static final long STEPS = 3_000_000;
  /** Seeds that are a multiple of it are conversations over a fabric without connections. */
  static final long CONNECTIONLESS = 3;

  final long seed;
  final VirtualTime time = new VirtualTime();
  final Trace trace;
  final Cells cells = new Cells();
  final Map<Fault, Long> faults = new EnumMap<>(Fault.class);
  final Set<Once> waiting = new LinkedHashSet<>();
  long messages;
  private final SplittableRandom random;
  private final Weather weather;
  private final InMemoryFabric fabric;
  private final Network network;
  /** Whether the fabric has no connections, and the layer that makes them stands on it. */
  private final boolean connectionless;
  /** Whether a peer that takes nothing may hold all places of the one endpoint that a node has. */
  private final boolean crowded;
  /** Those of now, by their number. */
  private final Node[] nodes;
  private final EndpointAddress[] addresses;
  private final List<Node> everybody = new ArrayList<>();
  private final List<Dialogue> dialogues = new ArrayList<>();
  private final int actions;
  private final List<Liar> liars = new ArrayList<>();
  private final List<DatagramLiar> strangers = new ArrayList<>();
  private final List<Domain> lairs = new ArrayList<>();
  private final boolean withLiars;
  private int domains;
  /** Links that are not over, each with what it takes to watch it. */
  private final Map<Link, Watched> links = new LinkedHashMap<>();
  private boolean closing;
  private String violation;

  /** A link's node, and the frames of the service beside messages that its application has sent. */
  private record Watched(Node node, IntSupplier asked) {
  }

  Conversation(long seed, boolean traced) {
    this.seed = seed;
    random = new SplittableRandom(seed);
    trace = new Trace(time::now, traced);
    weather = Weather.of(random);
    Capabilities capabilities = InMemoryFabric.CAPABILITIES.toBuilder().peerFailureEvents(random.nextInt(3) > 0)
      .noReceive(pick(Capabilities.NoReceive.values())).sharedReceive(random.nextBoolean()).build();
    connectionless = seed % CONNECTIONLESS == 0;
    if (connectionless) {
      capabilities = capabilities.toBuilder().orders(random.nextBoolean() ? capabilities.orders() : Set.of()).build();
    }
    // One endpoint is for all peers.
    int depth = connectionless ? pick(64, 1024) : pick(8, 16, 128, 4096);
    crowded = connectionless && depth < 1024;
    Limits limits = new Limits(64 << 20, 1L << 40, pick(0, 64, 256), depth, 1 << 14, 8, pick(1, 2, 8, 64), 56, Long.MAX_VALUE, 1 << 20, 1 << 20, 8);
    network = new Network(time, random.nextLong(), weather, capabilities, connectionless, trace, this);
    fabric = InMemoryFabric.create("simulated", capabilities, limits, network);
    boolean large = random.nextInt(20) == 0;
    nodes = new Node[large ? 4 + random.nextInt(5) : 2 + random.nextInt(2)];
    addresses = new EndpointAddress[nodes.length];
    actions = large ? 200 + random.nextInt(600) : 10 + random.nextInt(60);
    withLiars = random.nextInt(connectionless ? 2 : 5) == 0;
  }

  /** Runs that of a seed. @return what did not hold, null if all did; for a loader that has planted a bug */
  static String found(long seed) {
    return Simulation.found(new Conversation(seed, false));
  }

  @Override
  public Trace trace() {
    return trace;
  }

  @SafeVarargs
  private <T> T pick(T... values) {
    return values[random.nextInt(values.length)];
  }

  void violated(String what) {
    if (violation == null) {
      violation = what;
      trace.end(what);
    }
  }

  // ---- faults

  @Override
  public void disturbed(Fault fault, int from, int to) {
    faults.merge(fault, 1L, Long::sum);
    for (Dialogue dialogue : dialogues) {
      int a = dialogue.connector.domainNumber;
      int b = dialogue.acceptor.domainNumber;
      if (from < 0 || crowded && fault.excuses || to < 0 && (a == from || b == from) || a == from && b == to || a == to && b == from) {
        dialogue.faults.add(fault);
      }
    }
  }

  // ---- nodes

  private LoopOptions options() {
    int buffer = pick(4096, 4096, 8192);
    return new LoopOptions(buffer, pick(1, 2, 4, 16), pick(4, 5, 8, 16), pick(8192, 16384, 32768), pick(64 << 10, 256 << 10, 1 << 20),
      pick(2_000, 10_000), pick(400, 2_000), pick(2_000, 10_000), 1 << 10, pick(0, 64 << 10, 512 << 10));
  }

  /** A domain of the fabric, for a node or a peer that lies. */
  private Domain open() {
    return connectionless ? RdmLayer.over(fabric.rdmDevice().openRdm(), time::now, random.split()) : fabric.device().open();
  }

  private void start(int number, int life) {
    Monitor monitor = new Monitor(connectionless ? fabric.rdmDevice() : fabric.device(), this::open, number, time, trace, cells, () -> {
      if (closing || random.nextInt(4) > 0) {
        return 0;
      }
      disturbed(Fault.KEPT_MEMORY, Integer.MAX_VALUE, -1);
      return TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(2_000));
    }, this::violated);
    Node node = new Node(this, number, life, domains++, monitor, new SimulatedLoop(time, random.nextLong()), options());
    nodes[number] = node;
    everybody.add(node);
    node.start(addresses[number]).onComplete(done -> {
      if (done.failed()) {
        violated("node " + number + " could not start: " + done.cause());
      } else {
        addresses[number] = node.listener.localAddress();
      }
    });
  }

  private void kill(Node node) {
    trace.note("kill", node.number, node.life, 0);
    disturbed(Fault.KILLED, node.domainNumber, -1);
    node.dead = true;
    network.kill(node.domainNumber);
    node.host.kill();
    node.domain.close();
  }

  // ---- dialogues

  private void connect(Node from, Node to) {
    Dialogue dialogue = new Dialogue(dialogues.size(), from, to);
    dialogues.add(dialogue);
    if (from.host.isStopped() || to.host.isStopped()) {
      dialogue.faults.add(Fault.STOPPED);
    }
    if (isCut(from, to)) {
      dialogue.faults.add(Fault.CUT);
    }
    if (crowded) {
      dialogue.faults.addAll(faults.keySet());
    }
    trace.note("connect", from.number, dialogue.number, to.number);
    String service = pick("accept", "accept", "accept", "later", "refuse");
    dialogue.wanted = !service.equals("refuse");
    if (!connectionless && random.nextInt(4) == 0) {
      meet(dialogue, from, to, service);
      return;
    }
    byte[] data = ByteBuffer.allocate(4).putInt(dialogue.number).array();
    from.host.execute(() -> LinkConnector.connect(from.loop, addresses[to.number], from.identity(), service, data, 5_000,
      link -> new End(this, dialogue, from, 0, link)).onComplete(done -> {
        connected(dialogue, done);
      }));
  }

  /** Without connections, an operation that a cut holds up on its way to an earlier life of an address holds up those to the next one. */
  private boolean isCut(Node from, Node to) {
    for (Node one : connectionless ? everybody : List.of(from)) {
      for (Node other : connectionless ? everybody : List.of(to)) {
        if (one.number == from.number && other.number == to.number && network.isCut(one.domainNumber, other.domainNumber)) {
          return true;
        }
      }
    }
    return false;
  }

  private void connected(Dialogue dialogue, AsyncResult<?> done) {
    if (dialogue.answered) {
      violated(dialogue + ": its connect was answered twice");
    }
    dialogue.answered = true;
    trace.note("connected", dialogue.connector.number, dialogue.number, done.succeeded() ? 1 : 0);
    if (done.failed() && dialogue.wanted && !dialogue.isExcused() && !dialogue.faults.contains(Fault.RECEIVE_REFUSED) && !closing
      && nodes[dialogue.acceptor.number] == dialogue.acceptor) {
      violated(dialogue + " could not begin: " + done.cause());
    }
  }

  /** Connects two ends whose addresses others carry, at times that others choose. */
  private void meet(Dialogue dialogue, Node from, Node to, String service) {
    dialogue.exchanged = true;
    byte[] data = ByteBuffer.allocate(4).putInt(dialogue.number).array();
    from.host.execute(() -> OutOfBandEnd.open(from.loop, 3_000).onComplete(mine -> to.host.execute(() ->
      OutOfBandEnd.open(to.loop, 3_000).onComplete(theirs -> {
        if (mine.failed() || theirs.failed()) {
          // The other one is given up.
          from.host.execute(() -> {
            connected(dialogue, mine.failed() ? mine : theirs);
            giveUp(mine);
          });
          giveUp(theirs);
          return;
        }
        from.host.schedule(() -> mine.result().connect(theirs.result().localAddress(), from.identity(), "other", service, data,
          link -> new End(this, dialogue, from, 0, link)).onComplete(done -> connected(dialogue, done)), random.nextInt(30), TimeUnit.MILLISECONDS);
        to.host.schedule(() -> theirs.result().accept(mine.result().localAddress(), to.identity(), "other", incoming -> greeted(to, incoming))
          .onComplete(done -> { }), random.nextInt(30), TimeUnit.MILLISECONDS);
      }))));
  }

  private static void giveUp(AsyncResult<OutOfBandEnd> end) {
    if (end.succeeded()) {
      end.result().close();
    }
  }

  void greeted(Node at, IncomingLink incoming) {
    byte[] data = incoming.greeting().data();
    if (data.length != 4) {
      liars.stream().filter(liar -> liar.is(at)).findFirst().orElseThrow().answer(incoming);
      return;
    }
    Dialogue dialogue = dialogues.get(ByteBuffer.wrap(data).getInt());
    switch (incoming.greeting().service()) {
      case "accept" -> accept(at, dialogue, incoming);
      case "later" -> at.host.schedule(() -> accept(at, dialogue, incoming), random.nextInt(50), TimeUnit.MILLISECONDS);
      default -> incoming.refuse("not here");
    }
  }

  private void accept(Node at, Dialogue dialogue, IncomingLink incoming) {
    var link = incoming.accept(NONE);
    if (link != null) {
      new End(this, dialogue, at, 1, link);
    }
  }

  // ---- what applications do when they are told something

  /** Watches what a link holds. @param asked frames of the service beside messages that its application has sent */
  void watch(Node node, Link link, IntSupplier asked) {
    links.put(link, new Watched(node, asked));
  }

  void opened(End end) {
    watch(end.node, end.link, end::asked);
    if (connectionless) {
      end.node.host.schedule(() -> checkEarlierLives(end), 1, TimeUnit.SECONDS);
    }
    if (closing) {
      end.node.host.execute(() -> end.close(0));
    }
  }

  /** Nothing goes on with a process whose address another one has, except at a node that stood still and has not looked yet. */
  private void checkEarlierLives(End end) {
    End peer = end.dialogue.faults.contains(Fault.STOPPED) ? null : end.dialogue.other(end);
    for (Dialogue dialogue : dialogues) {
      for (End other : dialogue.ends) {
        End before = other == null || other.node != end.node || other.over ? null : dialogue.other(other);
        if (before != null && peer != null && before.node.number == peer.node.number && before.node.life < peer.node.life) {
          violated(dialogue + " goes on with a process that " + end.dialogue + " has seen replaced");
        }
      }
    }
  }

  void written(End end, Throwable failure) {
    if (failure == null && !closing && random.nextInt(20) == 0) {
      act(end);
    }
  }

  void read(End end) {
    if (closing) {
      return;
    }
    int what = random.nextInt(100);
    if (what < 10) {
      end.write(size(end));
    } else if (what < 14) {
      act(end);
    }
  }

  void over(End end) {
    if (!closing && random.nextInt(4) == 0) {
      end.write(10);
    }
  }

  private int size(End end) {
    int room = 4096 - Frame.SIZE;
    int size = switch (random.nextInt(8)) {
      case 0 -> 0;
      case 1, 2, 3 -> random.nextInt(300);
      case 4 -> random.nextInt(room);
      case 5 -> room - 2 + random.nextInt(5);
      case 6 -> random.nextInt(40_000);
      default -> random.nextInt(random.nextInt(4) == 0 ? 300_000 : 20_000);
    };
    return random.nextInt(50) == 0 ? end.link.maxMessageSize() + random.nextInt(2) : size;
  }

  /** Something that an application does with a link, whatever its state. */
  private void act(End end) {
    if (end.node.dead) {
      return;
    }
    switch (random.nextInt(40)) {
      case 0, 1, 2, 3, 4, 5, 6, 7 -> end.write(size(end));
      case 8, 9, 10, 11 -> {
        for (int i = random.nextInt(40); i >= 0; i--) {
          end.write(random.nextInt(8) == 0 ? size(end) : random.nextInt(200));
        }
      }
      case 12, 13, 14 -> end.writeZeroCopy(1 + random.nextInt(60_000));
      case 15, 16, 17 -> {
        end.paused = !end.paused;
        end.link.pause(end.paused);
      }
      case 18, 19 -> end.link.zeroCopy(random.nextBoolean());
      case 20, 21, 22, 23 -> end.release();
      case 24 -> end.end();
      case 25 -> end.close(0);
      case 26 -> end.close(1 + random.nextInt(3_000));
      case 27 -> {
        if (random.nextInt(4) == 0) {
          end.dialogue.cutShort = true;
          end.link.fail(new IllegalStateException("an application broke it"));
        }
      }
      case 28 -> {
        if (random.nextInt(4) == 0) {
          end.dialogue.cutShort = true;
          end.link.peerDead("somebody said so");
        }
      }
      case 29 -> end.link.suspect("somebody thought so");
      case 30 -> end.link.loop().measureRoundTrips();
      case 31 -> end.link.loop().statistics();
      case 32, 33, 34, 35 -> {
        for (int i = random.nextInt(12); i >= 0; i--) {
          end.ask(Frame.REGION_BASE + random.nextInt(Frame.REGION_TYPES), random.nextInt(100));
        }
      }
      default -> end.write(random.nextInt(100));
    }
  }

  // ---- what happens

  private void happen() {
    Node node = nodes[random.nextInt(nodes.length)];
    int what = random.nextInt(100);
    if (!node.isUp()) {
      if (node.dead && random.nextInt(3) == 0) {
        disturbed(Fault.CAME_BACK, Integer.MAX_VALUE, -1);
        network.replace(node.domainNumber);
        start(node.number, node.life + 1);
      }
    } else if (what < 18 || dialogues.isEmpty()) {
      Node to = nodes[random.nextInt(nodes.length)];
      if (to != node && to.isUp() && dialogues.size() < 40) {
        connect(node, to);
      }
    } else if (what < 90) {
      End end = pick(dialogues.toArray(Dialogue[]::new)).ends[random.nextInt(2)];
      if (end != null && (!end.over || random.nextInt(10) == 0)) {
        end.node.host.execute(() -> act(end));
      }
    } else if (what < 93) {
      stop(node);
    } else if (what < 95) {
      Node other = nodes[random.nextInt(nodes.length)];
      if (other != node) {
        network.cut(node.domainNumber, other.domainNumber, TimeUnit.MILLISECONDS.toNanos(random.nextInt(random.nextBoolean() ? 100 : 4_000)));
      }
    } else if (what < 97) {
      if (random.nextInt(2) == 0) {
        kill(node);
      }
    } else if (withLiars) {
      disturbed(Fault.LIE, Integer.MAX_VALUE, -1);
      network.spare(domains++);
      if (connectionless && random.nextBoolean()) {
        strangers.add(new DatagramLiar(this, node, fabric.rdmDevice().openRdm(), random.nextLong()));
        return;
      }
      Domain lair = open();
      lairs.add(lair);
      liars.add(new Liar(this, node, lair, random.nextLong()));
    }
  }

  private void stop(Node node) {
    disturbed(Fault.STOPPED, node.domainNumber, -1);
    trace.note("stop", node.number, 0, 0);
    node.host.stop();
    time.after(TimeUnit.MILLISECONDS.toNanos(random.nextInt(random.nextBoolean() ? 200 : 5_000)), node.host::resume);
  }

  // ---- running

  @Override
  public void run() {
    for (int i = 0; i < nodes.length; i++) {
      start(i, 0);
    }
    pass(TimeUnit.MILLISECONDS.toNanos(50));
    for (int i = 0; i < actions && violation == null; i++) {
      happen();
      checkMemory();
      pass(random.nextInt(5) == 0 ? random.nextLong(TimeUnit.MILLISECONDS.toNanos(400)) : random.nextLong(TimeUnit.MILLISECONDS.toNanos(2)));
    }
    finish();
    if (violation != null) {
      throw new AssertionError(violation);
    }
  }

  /** Lets time pass, step by step. */
  private void pass(long nanos) {
    long until = time.now() + nanos;
    while (violation == null && time.stepUntil(until)) {
      check();
    }
  }

  private void checkMemory() {
    for (Node node : nodes) {
      String wrong = node.isUp() ? MemoryBounds.check(node) : null;
      if (wrong != null) {
        violated("node " + node.number + ": " + wrong);
      }
    }
  }

  private void check() {
    for (Node node : nodes) {
      if (node != null && !node.dead) {
        node.monitor.check();
      }
    }
    links.keySet().removeIf(Link::isOver);
    links.forEach((link, of) -> {
      String wrong = of.node.dead ? null : MemoryBounds.check(link, of.asked.getAsInt());
      if (wrong != null) {
        violated("node " + of.node.number + ": " + wrong);
      }
    });
    if (time.steps() > STEPS) {
      violated("it does not come to an end");
    }
  }

  /** Ends everything in order, and looks at what is left. */
  private void finish() {
    closing = true;
    network.calm();
    for (Node node : everybody) {
      node.host.resume();
    }
    for (Dialogue dialogue : dialogues) {
      for (End end : dialogue.ends) {
        if (end != null && !end.node.dead) {
          end.node.host.execute(() -> {
            end.link.pause(false);
            end.release();
            if (!end.closeAsked && !end.over) {
              end.close(0);
            }
          });
        }
      }
    }
    pass(TimeUnit.SECONDS.toNanos(60));
    for (Dialogue dialogue : dialogues) {
      for (End end : dialogue.ends) {
        if (end != null && !end.node.dead && !end.over) {
          violated(dialogue + " is not over a minute after its close");
        }
      }
      // The address of a node that died meanwhile is never brought.
      if (!dialogue.answered && !dialogue.connector.dead && !(dialogue.exchanged && dialogue.acceptor.dead)) {
        violated(dialogue + ": its connect was never answered");
      }
    }
    liars.forEach(Liar::close);
    strangers.forEach(DatagramLiar::close);
    for (Node node : everybody) {
      if (node.dead) {
        node.host.exhume();
      }
      if (node.listener != null) {
        node.listener.close();
      }
      if (node.loop != null) {
        node.loop.close(new IllegalStateException("the conversation is over"));
      }
    }
    pass(TimeUnit.SECONDS.toNanos(30));
    dialogues.forEach(dialogue -> {
      for (End end : dialogue.ends) {
        if (end != null) {
          end.release();
        }
      }
    });
    // Before the domains are closed, which would close what is in them.
    Map<String, Long> open = fabric.open();
    open.remove("domains");
    if (violation == null && !open.isEmpty()) {
      violated("left open: " + open);
    }
    everybody.forEach(node -> node.domain.close());
    lairs.forEach(Domain::close);
    if (violation == null) {
      left();
    }
  }

  private void left() {
    if (!fabric.open().isEmpty()) {
      violated("left open on the fabric: " + fabric.open());
    }
    waiting.stream().findFirst().ifPresent(once -> violated("never completed: " + once));
    for (Node node : everybody) {
      if (!node.dead && node.loop != null && node.loop.statistics().zeroCopyMessages() != 0) {
        violated("node " + node.number + " has messages in registered memory that nobody has");
      }
    }
    if (time.pending() > 0) {
      violated("timers are left: " + time.pending());
    }
  }

  long events() {
    return trace.events();
  }
}
