package io.github.vertxrdma.simulator;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.simulator.world.Fault;
import io.github.vertxrdma.simulator.world.Simulation;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Services of the event bus and their clients, determined by a seed. Several servers of a name are opened, used and closed. Clients send,
 * publish, request and time out, while nodes stop, die and come back, a late directory reports changes, and the fabric has the faults of a
 * {@link Conversation}. Some conversations are undisturbed: in these every request is answered that a consumer answers.
 */
final class ServiceConversation extends FabricSimulation {
  private static final Logger QUIET = Logger.getLogger("io.github.vertxrdma.impl.calls");
  static final VertxInternal VERTX = (VertxInternal) Vertx.vertx();
  private static final int MOST_CALLERS = 12;
  private static final int LATE_MILLIS = 4_000;
  private static final int LONGEST_MILLIS = 16_000;

  static {
    QUIET.setLevel(Level.WARNING);
  }

  /** Whether the conversation has no faults. Applications still close objects that others use. */
  final boolean undisturbed;
  private final ServiceMember[] members;
  private final EndpointAddress[] addresses;
  private final List<ServiceMember> everybody = new ArrayList<>();
  private final List<ServiceServer> servers = new ArrayList<>();
  private final List<ServiceCaller> callers = new ArrayList<>();
  private final Map<ServiceMember, Long> deaths = new HashMap<>();
  private final Map<String, ServiceMember> waiting = new LinkedHashMap<>();
  private final Map<Integer, ServiceEntry> published = new LinkedHashMap<>();
  private long futures;

  ServiceConversation(long seed, boolean traced) {
    super(seed, traced, "services", false);
    undisturbed = seed % 4 == 1;
    if (undisturbed) {
      network.calm();
    }
    members = new ServiceMember[2 + random.nextInt(3)];
    addresses = new EndpointAddress[members.length];
    for (int i = 0; i < members.length; i++) {
      start(i);
    }
  }

  static String found(long seed) {
    return Simulation.found(new ServiceConversation(seed, false));
  }

  long now() {
    return time.now();
  }

  int random(int bound) {
    return random.nextInt(bound);
  }

  <T> void watch(String what, ServiceMember of, Future<T> future, BiConsumer<T, Throwable> then) {
    String name = what + " (" + futures++ + ")";
    waiting.put(name, of);
    future.onComplete(done -> {
      if (waiting.remove(name) == null && !of.process.dead) {
        violated("completed twice: " + name);
      }
      trace.note("completed", of.process.number, done.succeeded() ? 1 : 0, 0);
      trace.say(name + ": " + (done.succeeded() ? "ok" : done.cause()));
      if (!of.process.dead) {
        then.accept(done.result(), done.cause());
      }
    });
  }

  private void start(int number) {
    RegionMember process = new RegionMember(number, everybody.size(), open(), new SimulatedLoop(time, random.nextLong()), control);
    SimulatedLoop home = random.nextInt(3) > 0 ? process.host : new SimulatedLoop(time, random.nextLong());
    SimulatedEventLoop.context(VERTX, process.host);
    if (home != process.host) {
      SimulatedEventLoop.context(VERTX, home);
    }
    ServiceMember member = new ServiceMember(this, process, home);
    members[number] = member;
    everybody.add(member);
    published.values().forEach(entry -> tell(member, entry));
    int credits = 1 << random.nextInt(5);
    process.host
      .execute(() -> process.start(new LoopOptions(4096, credits, 8, 16384, 1 << 17, 2_000, 400, 2_000, 0, 64 << 10), addresses[number],
        incoming -> greeted(member, incoming)).onComplete(done -> {
          if (done.succeeded()) {
            addresses[number] = process.listener.localAddress();
          } else if (!process.dead) {
            violated("node " + number + " could not start: " + done.cause());
          }
        }));
  }

  private void greeted(ServiceMember at, IncomingLink incoming) {
    if (at.acceptor == null) {
      incoming.refuse(Reason.NOT_FOUND, "nothing is served here");
    } else {
      at.acceptor.greeted(incoming);
    }
  }

  EndpointAddress addressOf(ServiceEntry instance) {
    return addresses[servers.get(instance.instance()).member.process.number];
  }

  private void kill(ServiceMember member) {
    kill(member.process, member.home);
    deaths.put(member, now());
    List.copyOf(published.values()).stream().filter(entry -> servers.get(entry.instance()).member == member).forEach(this::withdraw);
  }

  long diedAt(ServiceMember member) {
    return deaths.get(member);
  }

  private void stop(ServiceMember member) {
    member.stopped = true;
    stop(member.process, member.home);
  }

  long publish(ServiceEntry entry) {
    published.put(entry.instance(), entry);
    everybody.forEach(member -> tell(member, entry));
    return now() + TimeUnit.MILLISECONDS.toNanos(LATE_MILLIS);
  }

  void withdraw(ServiceEntry entry) {
    if (published.remove(entry.instance()) != null) {
      everybody.forEach(member -> tell(member, entry));
    }
  }

  private void tell(ServiceMember member, ServiceEntry entry) {
    member.home.executeAfter(() -> member.told(entry, published.containsKey(entry.instance())),
      random.nextInt(random.nextInt(4) == 0 ? LATE_MILLIS : 50), TimeUnit.MILLISECONDS);
  }

  /** Returns whether there is a server that all processes have known since a time. */
  boolean isServed(long since) {
    return servers.stream()
      .anyMatch(server -> server.knownAt >= 0 && server.knownAt <= since && !server.closing && !server.member.process.dead);
  }

  ServiceCaller caller(int number) {
    return callers.get(number);
  }

  private void serve(ServiceMember member) {
    if (member.server == null && member.acceptor == null && member.process.listener != null) {
      member.server = new ServiceServer(member, servers.size());
      servers.add(member.server);
      member.server.open(pick(2, 16, 1024));
    }
  }

  private void call(ServiceMember member) {
    if (callers.size() < MOST_CALLERS && member.process.listener != null) {
      ServiceCaller caller = new ServiceCaller(member, callers.size(), pick(4, 64, 1024));
      callers.add(caller);
      caller.open(pick(500, 6_000));
    }
  }

  private int pick(int... values) {
    return values[random.nextInt(values.length)];
  }

  private int size() {
    return random.nextInt(5) == 0 ? random.nextInt(40_000) : random.nextInt(400);
  }

  private int patience() {
    return random.nextInt(4) == 0 ? 1 + random.nextInt(200) : random.nextInt(3) == 0 ? LONGEST_MILLIS - random.nextInt(4_000)
      : ServiceServer.SLOW_MILLIS + random.nextInt(2_000);
  }

  private void act(ServiceCaller caller) {
    switch (random.nextInt(20)) {
      case 0, 1, 2 -> caller.send(ServiceCaller.Kind.SEND, size(), 1);
      case 3 -> caller.send(ServiceCaller.Kind.PUBLISH, size(), 1);
      case 4, 5, 6 -> {
        for (int i = random.nextInt(12); i >= 0; i--) {
          caller.send(ServiceCaller.Kind.values()[random.nextInt(3)], random.nextInt(100), patience());
        }
      }
      case 7 -> {
        if (random.nextInt(3) == 0) {
          caller.close();
        }
      }
      default -> caller.send(ServiceCaller.Kind.REQUEST, size(), patience());
    }
  }

  private void on(ServiceMember member, Runnable action) {
    if (!member.process.dead) {
      member.home.execute(action);
    }
  }

  @Override
  protected void happen() {
    ServiceMember member = members[random.nextInt(members.length)];
    int what = random.nextInt(undisturbed ? 92 : 100);
    if (member.process.dead) {
      if (random.nextInt(3) == 0) {
        disturbed(Fault.CAME_BACK, Integer.MAX_VALUE, -1);
        network.replace(member.process.domainNumber);
        start(member.process.number);
      }
    } else if (what < 8 || servers.isEmpty()) {
      on(member, () -> serve(member));
    } else if (what < 16 || callers.isEmpty()) {
      on(member, () -> call(member));
    } else if (what < 89) {
      ServiceCaller caller = any(callers);
      on(caller.member, () -> {
        if (caller.isOpen()) {
          act(caller);
        }
      });
    } else if (what < 92) {
      ServiceServer server = any(servers);
      on(server.member, server::close);
    } else if (what < 95) {
      stop(member);
    } else if (what < 97) {
      cut(member.process, members[random.nextInt(members.length)].process);
    } else if (what < 99) {
      kill(member);
    }
  }

  @Override
  protected void play() {
    pass(TimeUnit.MILLISECONDS.toNanos(50));
    play(30 + random.nextInt(120), 8, 600, 4);
  }

  @Override
  protected void finish() {
    network.calm();
    everybody.forEach(member -> {
      member.process.host.resume();
      member.home.resume();
    });
    pass(TimeUnit.MILLISECONDS.toNanos(LONGEST_MILLIS + 5_000));
    boolean first = random.nextBoolean();
    close(first);
    close(!first);
    for (ServiceMember member : everybody) {
      if (member.process.dead) {
        member.process.host.exhume();
        member.home.exhume();
      }
      if (member.process.listener != null) {
        member.process.host.execute(() -> end(member.process));
      }
    }
    servers.forEach(server -> server.member.home.execute(server::forget));
    // Timers of the drain timeouts, whose deadlines were cancelled, have fired then.
    pass(TimeUnit.SECONDS.toNanos(60));
    checkOpen();
    everybody.forEach(member -> member.process.domain.close());
    checkTimers();
  }

  private void close(boolean ofServers) {
    if (ofServers) {
      servers.forEach(server -> on(server.member, server::close));
    } else {
      callers.forEach(caller -> on(caller.member, caller::close));
    }
    pass(TimeUnit.SECONDS.toNanos(20));
    waiting.values().removeIf(member -> member.process.dead);
    if (!waiting.isEmpty()) {
      violated(
        "not complete " + LONGEST_MILLIS + " ms after the last message, and a close of all " + (ofServers ? "servers" : "callers") + ": "
          + waiting.keySet());
    }
  }
}
