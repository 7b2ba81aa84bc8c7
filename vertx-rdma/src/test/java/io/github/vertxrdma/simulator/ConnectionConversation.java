package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.api.RequestFrame;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.simulator.world.Fault;
import io.github.vertxrdma.simulator.world.Simulation;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Applications that use connections on contexts of Vert.x, determined by a seed. Connections are opened, written to, read slowly, ended,
 * closed and opened again, while nodes stop, die and come back, and the fabric has the faults of a {@link Conversation}. Contexts run on
 * the loop of the link, or on another.
 */
final class ConnectionConversation extends FabricSimulation {
  private static final VertxInternal VERTX = (VertxInternal) Vertx.vertx();
  private static final byte[] NONE = {};
  private static final int MOST_TALKS = 16;

  private final RegionMember[] members;
  private final EndpointAddress[] addresses;
  private final Map<RegionMember, SimulatedLoop> homes = new LinkedHashMap<>();
  private final List<RegionMember> everybody = new ArrayList<>();
  private final List<Speaker[]> talks = new ArrayList<>();
  /** Futures that are not complete, each with the member whose death ends it too. */
  private final Map<String, RegionMember> waiting = new LinkedHashMap<>();
  private long futures;
  private boolean closing;

  ConnectionConversation(long seed, boolean traced) {
    super(seed, traced, "connections", true);
    members = new RegionMember[2 + random.nextInt(2)];
    addresses = new EndpointAddress[members.length];
    for (int i = 0; i < members.length; i++) {
      start(i);
    }
  }

  static String found(long seed) {
    return Simulation.found(new ConnectionConversation(seed, false));
  }

  <T> void watch(String what, Speaker of, Future<T> future, BiConsumer<T, Throwable> then) {
    String name = what + " (" + futures++ + ")";
    waiting.put(name, of.member);
    future.onComplete(done -> {
      // Futures of a dead process may complete when its memory is freed.
      if (waiting.remove(name) == null && !of.member.dead) {
        violated("completed twice: " + name);
      }
      trace.note("completed", of.member.number, done.succeeded() ? 1 : 0, 0);
      then.accept(done.result(), done.cause());
    });
  }

  private void start(int number) {
    RegionMember member = new RegionMember(number, everybody.size(), open(), new SimulatedLoop(time, random.nextLong()), control);
    SimulatedLoop home = random.nextInt(3) > 0 ? member.host : new SimulatedLoop(time, random.nextLong());
    SimulatedEventLoop.context(VERTX, member.host);
    if (home != member.host) {
      SimulatedEventLoop.context(VERTX, home);
    }
    members[number] = member;
    everybody.add(member);
    homes.put(member, home);
    int credits = 1 << random.nextInt(5);
    member.host
      .execute(() -> member.start(new LoopOptions(4096, credits, 8, 16384, 1 << 17, 2_000, 400, 2_000, 0, 64 << 10), addresses[number],
        incoming -> accept(member, incoming)).onComplete(done -> {
          if (done.succeeded()) {
            addresses[number] = member.listener.localAddress();
          } else if (!member.dead) {
            violated("node " + number + " could not start: " + done.cause());
          }
        }));
  }

  private void connect(RegionMember from, RegionMember to) {
    if (talks.size() == MOST_TALKS || to.listener == null || from.listener == null) {
      return;
    }
    byte[] data = RequestFrame.offer(ByteBuffer.allocate(4).putInt(talks.size()).array());
    int talk = talks.size();
    talks.add(new Speaker[2]);
    trace.note("connect", from.number, to.number, talk);
    from.host.execute(() -> LinkConnector.connect(from.loop, addresses[to.number], from.identity(), "talk", data, 3_000,
      link -> speak(talk, 0, from, link)));
  }

  private void accept(RegionMember at, IncomingLink incoming) {
    Link link = incoming.accept(RequestFrame.offer(NONE));
    if (link != null) {
      speak(ByteBuffer.wrap(incoming.greeting().data()).position(RequestFrame.OFFER).getInt(), 1, at, link);
    }
  }

  private Speaker speak(int talk, int side, RegionMember at, Link link) {
    return new Speaker(this, talk, talks.get(talk), side, at, link, homes.get(at), random.nextInt(4));
  }

  void opened(Speaker speaker) {
    if (closing) {
      speaker.close();
    } else if (random.nextInt(4) == 0) {
      speaker.pause(true);
    }
  }

  void closed(Speaker speaker) {
    RegionMember other = members[random.nextInt(members.length)];
    if (!closing && other.number != speaker.member.number && random.nextInt(3) == 0) {
      connect(speaker.member, other);
    }
  }

  private int size() {
    return switch (random.nextInt(6)) {
      case 0 -> 0;
      case 1, 2 -> random.nextInt(300);
      case 3 -> 4000 + random.nextInt(200);
      case 4 -> random.nextInt(random.nextInt(8) == 0 ? 140_000 : 40_000);
      default -> random.nextInt(4000);
    };
  }

  private void act(Speaker speaker) {
    switch (random.nextInt(30)) {
      case 0, 1, 2, 3, 4, 5 -> speaker.write(size(), false);
      case 6, 7, 8 -> {
        for (int i = random.nextInt(30); i >= 0; i--) {
          speaker.write(random.nextInt(6) == 0 ? size() : random.nextInt(200), false);
        }
      }
      case 9, 10 -> speaker.write(1 + random.nextInt(60_000), true);
      case 11, 12, 13 -> speaker.pause(!speaker.paused);
      case 14, 15 -> speaker.fetch(1 + random.nextInt(3));
      case 16 -> speaker.release();
      case 17 -> speaker.end();
      case 18 -> speaker.close();
      case 19 -> speaker.shutdown(random.nextInt(3) * random.nextInt(1_500));
      case 20 -> {
        speaker.write(size(), false);
        speaker.end();
        speaker.close();
      }
      case 21 -> {
        speaker.write(size(), false);
        speaker.close();
      }
      case 22, 23 -> speaker.flush();
      case 24, 25 -> speaker.request(size(), 1 + random.nextInt(random.nextBoolean() ? 3_000 : 100));
      case 26 -> {
        for (int i = random.nextInt(8); i >= 0; i--) {
          speaker.request(random.nextInt(300), 2_000);
        }
      }
      case 27 -> speaker.answer();
      case 28 -> {
        speaker.write(size(), false);
        speaker.flush();
        speaker.write(size(), false);
      }
      default -> {
      }
    }
  }

  @Override
  protected void happen() {
    RegionMember member = members[random.nextInt(members.length)];
    int what = random.nextInt(100);
    if (member.dead || member.gone) {
      if (random.nextInt(3) == 0) {
        disturbed(Fault.CAME_BACK, Integer.MAX_VALUE, -1);
        if (member.dead) {
          network.replace(member.domainNumber);
        }
        start(member.number);
      }
    } else if (what < 14 || talks.isEmpty()) {
      RegionMember other = members[random.nextInt(members.length)];
      if (other != member && !other.dead) {
        connect(member, other);
      }
    } else if (what < 92) {
      Speaker speaker = talks.get(random.nextInt(talks.size()))[random.nextInt(2)];
      if (speaker != null && !speaker.member.dead && (!speaker.closed || random.nextInt(10) == 0)) {
        speaker.act(this::act);
      }
    } else if (what < 95) {
      // A context on another loop may be stopped alone.
      stop(member, homes.get(member));
    } else if (what < 97) {
      cut(member, members[random.nextInt(members.length)]);
    } else if (what < 98 && !member.closed) {
      kill(member, homes.get(member));
    } else if (what == 98 && member.listener != null) {
      close(member);
    }
  }

  @Override
  protected void play() {
    pass(TimeUnit.MILLISECONDS.toNanos(50));
    play(30 + random.nextInt(120), 8, 400, 2);
  }

  private void forEachSpeaker(Consumer<Speaker> action) {
    talks.forEach(talk -> {
      for (Speaker speaker : talk) {
        if (speaker != null && !speaker.member.dead) {
          action.accept(speaker);
        }
      }
    });
  }

  @Override
  protected void finish() {
    closing = true;
    network.calm();
    homes.forEach((member, home) -> {
      member.host.resume();
      home.resume();
    });
    forEachSpeaker(speaker -> speaker.act(each -> {
      each.pause(false);
      each.release();
      each.close();
    }));
    pass(TimeUnit.SECONDS.toNanos(60));
    forEachSpeaker(Speaker::check);
    forEachSpeaker(Speaker::release);
    waiting.values().removeIf(member -> member.dead);
    if (!waiting.isEmpty()) {
      violated("never completed: " + waiting.keySet());
    }
    for (RegionMember member : everybody) {
      if (member.dead) {
        member.host.exhume();
        homes.get(member).exhume();
      }
      if (member.listener != null) {
        end(member);
      }
    }
    pass(TimeUnit.SECONDS.toNanos(30));
    talks.forEach(talk -> {
      for (Speaker speaker : talk) {
        if (speaker != null) {
          speaker.release();
        }
      }
    });
    checkOpen();
    everybody.forEach(member -> member.domain.close());
    checkTimers();
  }
}
