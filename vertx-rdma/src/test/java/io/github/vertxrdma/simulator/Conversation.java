package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.provider.rdm.RdmLayer;
import io.github.vertxrdma.simulator.world.Fault;
import io.github.vertxrdma.simulator.world.FragileDevice;
import io.github.vertxrdma.simulator.world.Network;
import io.github.vertxrdma.simulator.world.Simulation;
import io.github.vertxrdma.simulator.world.Weather;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * A conversation of many nodes. A seed determines the nodes, the fabric, the messages and the faults. Runs in the thread of the caller, in
 * virtual time. All invariants are checked after every step, and {@link #run} throws the first violation.
 */
final class Conversation extends Simulation implements Network.Watcher {
  /** Seeds that are a multiple of this number run over a fabric without connections. */
  static final long CONNECTIONLESS = 3;
  private static final long OUTAGES = 5;

  final long seed;
  final Cells cells = new Cells();
  final Set<Once> waiting = new LinkedHashSet<>();
  private final Weather weather;
  private final InMemoryFabric fabric;
  final Network network;
  final boolean connectionless;
  /** Whether a peer that reads nothing may use all slots of the single endpoint of a node. */
  final boolean crowded;
  final SimulatedControl control = new SimulatedControl();
  final Node[] nodes;
  final EndpointAddress[] addresses;
  final List<Node> everybody = new ArrayList<>();
  final Dialogues dialogues;
  final Applications applications;
  final Outages outages;
  private final int actions;
  final List<Liar> liars = new ArrayList<>();
  private final List<DatagramLiar> strangers = new ArrayList<>();
  private final List<Domain> lairs = new ArrayList<>();
  private final boolean withLiars;
  private int domains;
  private final WatchedLinks links = new WatchedLinks(time);
  boolean closing;

  Conversation(long seed, boolean traced) {
    super(seed, traced);
    this.seed = seed;
    dialogues = new Dialogues(this, random);
    applications = new Applications(random, () -> closing);
    outages = seed % OUTAGES == 1 ? new Outages(this, random) : null;
    weather = Weather.of(random);
    Capabilities capabilities = InMemoryFabric.CAPABILITIES.toBuilder().peerFailureEvents(random.nextInt(3) > 0)
      .noReceive(pick(Capabilities.NoReceive.values())).sharedReceive(random.nextBoolean()).receivesInPlace(seed % 4 < 2).build();
    connectionless = seed % CONNECTIONLESS == 0;
    if (connectionless) {
      capabilities = capabilities.toBuilder().orders(random.nextBoolean() ? capabilities.orders() : Set.of()).build();
    }
    int depth = connectionless ? pick(64, 1024) : pick(8, 16, 128, 4096);
    crowded = connectionless && depth < 1024;
    int privateData = seed % 4 > 1 ? 1024 : 56;
    Limits limits = new Limits(64 << 20, 1L << 40, pick(0, 64, 256), depth, 1 << 14, 8, pick(1, 2, 8, 64), privateData, Long.MAX_VALUE,
      1 << 20, 1 << 20, 8);
    network = new Network(time, random.nextLong(), weather, capabilities, connectionless, trace, this);
    fabric = InMemoryFabric.create("simulated", capabilities, limits, network);
    boolean large = random.nextInt(20) == 0;
    nodes = new Node[large ? 4 + random.nextInt(5) : 2 + random.nextInt(2)];
    addresses = new EndpointAddress[nodes.length];
    actions = large ? 200 + random.nextInt(600) : 10 + random.nextInt(60);
    withLiars = random.nextInt(connectionless ? 2 : 5) == 0;
  }

  static String found(long seed) {
    return Simulation.found(new Conversation(seed, false));
  }

  @SafeVarargs
  private <T> T pick(T... values) {
    return values[random.nextInt(values.length)];
  }

  @Override
  public void disturbed(Fault fault, int from, int to) {
    faults.merge(fault, 1L, Long::sum);
    for (Dialogue dialogue : dialogues.all) {
      int a = dialogue.connector.domainNumber;
      int b = dialogue.acceptor.domainNumber;
      if (from < 0 || crowded && fault.excuses || to < 0 && (a == from || b == from) || a == from && b == to || a == to && b == from) {
        dialogue.faults.add(fault);
      }
    }
  }

  private LoopOptions options() {
    int buffer = pick(4096, 4096, 8192);
    return new LoopOptions(buffer, pick(1, 2, 4, 16), pick(4, 5, 8, 16), pick(8192, 16384, 32768), pick(64 << 10, 256 << 10, 1 << 20),
      pick(2_000, 10_000), pick(400, 2_000), pick(2_000, 10_000), 1 << 10, pick(0, 64 << 10, 512 << 10));
  }

  private Domain open() {
    return connectionless ? RdmLayer.over(fabric.rdmDevice().openRdm(), time.clock(seed), random.split()) : fabric.device().open();
  }

  private void start(int number, int life) {
    Supplier<Domain> opening = () -> FragileDevice.over(open(), time, this::violated);
    Monitor monitor = new Monitor(connectionless ? fabric.rdmDevice() : fabric.device(), opening, number, time, trace, cells, () -> {
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
      if (done.succeeded()) {
        addresses[number] = node.listener.localAddress();
      } else if (!node.dead) {
        violated("node " + number + " could not start: " + done.cause());
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

  /** Closes a node with its links, even in the middle of a handler that reports the end of a link. */
  void close(Node node) {
    if (node.isUp()) {
      trace.note("close node", node.number, node.life, 0);
      disturbed(Fault.CLOSED, node.domainNumber, -1);
      node.close("the node was closed");
    }
  }

  /** Watches the memory that a link holds. @param asked the number of service frames that its application has sent */
  void watch(Node node, Link link, IntSupplier asked) {
    links.add(node, link, asked);
  }

  void opened(End end) {
    watch(end.node, end.link, end::asked);
    if (connectionless) {
      end.node.host.schedule(() -> dialogues.checkEarlierLives(end), 1, TimeUnit.SECONDS);
    }
    if (closing) {
      end.node.host.execute(() -> end.close(0));
    }
  }

  @Override
  protected void happen() {
    Node node = nodes[random.nextInt(nodes.length)];
    int what = random.nextInt(100);
    if (outages != null && node.isUp() && random.nextInt(16) == 0) {
      outages.begin(node);
    } else if (!node.isUp()) {
      if ((node.dead || node.gone) && random.nextInt(3) == 0) {
        disturbed(Fault.CAME_BACK, Integer.MAX_VALUE, -1);
        if (node.dead) {
          network.replace(node.domainNumber);
        }
        start(node.number, node.life + 1);
      }
    } else if (what < 18 || dialogues.all.isEmpty()) {
      Node to = nodes[random.nextInt(nodes.length)];
      if (to != node && to.isUp() && dialogues.all.size() < 40) {
        dialogues.connect(node, to);
      }
    } else if (what < 90) {
      End end = pick(dialogues.all.toArray(Dialogue[]::new)).ends[random.nextInt(2)];
      if (end != null && (!end.over || random.nextInt(10) == 0)) {
        end.node.host.execute(() -> applications.act(end));
      }
    } else if (what < 93) {
      stop(node);
    } else if (what < 95) {
      Node other = nodes[random.nextInt(nodes.length)];
      if (other != node) {
        network.cut(node.domainNumber, other.domainNumber,
          TimeUnit.MILLISECONDS.toNanos(random.nextInt(random.nextBoolean() ? 100 : 4_000)));
      }
    } else if (what < 97) {
      switch (random.nextInt(4)) {
        case 0, 1 -> kill(node);
        case 2 -> node.closesNext = random.nextBoolean();
        default -> node.host.execute(() -> close(node));
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

  void stop(Node node) {
    disturbed(Fault.STOPPED, node.domainNumber, -1);
    trace.note("stop", node.number, 0, 0);
    node.host.stop();
    time.after(TimeUnit.MILLISECONDS.toNanos(random.nextInt(random.nextBoolean() ? 200 : 5_000)), node.host::resume);
  }

  @Override
  protected void play() {
    for (int i = 0; i < nodes.length; i++) {
      start(i, 0);
    }
    pass(TimeUnit.MILLISECONDS.toNanos(50));
    play(actions, 5, 400, 2);
  }

  @Override
  protected void pass(long nanos) {
    for (Node node : nodes) {
      String wrong = node.isUp() ? MemoryBounds.check(node) : null;
      if (wrong != null) {
        violated("node " + node.number + ": " + wrong);
      }
    }
    super.pass(nanos);
  }

  @Override
  protected boolean holds() {
    for (Node node : nodes) {
      if (node != null && !node.dead) {
        node.monitor.check();
      }
    }
    String wrong = links.check();
    if (wrong != null) {
      violated(wrong);
    }
    return super.holds();
  }

  @Override
  protected void finish() {
    closing = true;
    network.calm();
    for (Node node : everybody) {
      node.host.resume();
    }
    for (Dialogue dialogue : dialogues.all) {
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
    for (Dialogue dialogue : dialogues.all) {
      for (End end : dialogue.ends) {
        if (end != null && !end.node.dead && !end.over) {
          violated(dialogue + " is not over a minute after its close");
        }
      }
      // The address of a node that died meanwhile never arrives.
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
      node.close("the conversation is over");
    }
    pass(TimeUnit.SECONDS.toNanos(30));
    dialogues.all.forEach(dialogue -> {
      for (End end : dialogue.ends) {
        if (end != null) {
          end.release();
        }
      }
    });
    // Checked before the domains are closed, since a domain closes its objects.
    Map<String, Long> open = fabric.open();
    open.remove("domains");
    if (super.holds() && !open.isEmpty()) {
      violated("left open: " + open);
    }
    everybody.forEach(node -> node.domain.close());
    lairs.forEach(Domain::close);
    if (super.holds()) {
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
    checkTimers();
  }

  long events() {
    return trace.events();
  }
}
