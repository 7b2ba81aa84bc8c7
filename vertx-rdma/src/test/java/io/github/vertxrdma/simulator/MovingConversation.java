package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.transport.SimulatedChannels;
import io.github.vertxrdma.impl.transport.SimulatedTcp;
import io.github.vertxrdma.simulator.world.Simulation;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.socket.DuplexChannel;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Connections of the event bus that begin over TCP and move to the fabric at any moment, on simulated event loops, determined by a seed.
 * They are written to and closed, while nodes stop and die, and the fabric has the faults of a {@link Conversation}.
 */
final class MovingConversation extends ChannelSimulation {
  private static final int MOST_TALKS = 6;

  private final List<MovingTalk> talks = new ArrayList<>();

  MovingConversation(long seed, boolean traced) {
    super(seed, traced, "moving");
  }

  static String found(long seed) {
    return Simulation.found(new MovingConversation(seed, false));
  }

  private void connect() {
    RegionMember from = members[0];
    if (talks.size() == MOST_TALKS || from.dead || members[1].dead) {
      return;
    }
    SimulatedTcp tcp = new SimulatedTcp(time::after, random.split(), random.nextBoolean() ? 200_000 : 5_000_000, homes[0], homes[1]);
    MovingTalk talk = new MovingTalk(this, talks.size(), tcp);
    talk.known = random.nextInt(3) == 0;
    talks.add(talk);
    homes[0].execute(() -> {
      talk.client(SimulatedChannels.movable(tcp, opener -> dial(talk, opener), loop(homes[0]), loop(from.host)));
      talk.client.unsafe().register(loop(homes[0]), talk.client.newPromise());
      talk.client.connect(new LocalAddress("there"));
    });
    homes[1].execute(() -> {
      DuplexChannel channel = talk.server(SimulatedChannels.accepted(tcp, loop(homes[1])), false);
      channel.unsafe().register(loop(homes[1]), channel.newPromise());
    });
  }

  private Future<Object> dial(MovingTalk talk, Function<Link, Object> opener) {
    RegionMember from = members[0];
    RegionMember to = members[1];
    if (from.dead) {
      // The loop runs again only so that its memory is freed.
      return Promise.promise().future();
    }
    if (!talk.known || from.listener == null || to.listener == null) {
      return Future.succeededFuture();
    }
    return dial(talk.number, 1_000, opener);
  }

  @Override
  void accept(RegionMember at, IncomingLink incoming) {
    Link link = incoming.accept(NONE);
    if (link != null) {
      MovingTalk talk = talks.get(ByteBuffer.wrap(incoming.greeting().data()).getInt());
      DuplexChannel channel = talk.server(SimulatedChannels.accepted(link, loop(at.host)), true);
      channel.unsafe().register(loop(homes[at.number]), channel.newPromise());
    }
  }

  private int size() {
    return switch (random.nextInt(6)) {
      case 0 -> 0;
      case 1, 2 -> random.nextInt(300);
      case 3 -> 4000 + random.nextInt(200);
      case 4 -> random.nextInt(random.nextInt(4) == 0 ? 400_000 : 40_000);
      default -> random.nextInt(4000);
    };
  }

  private void act(MovingTalk talk) {
    if (SimulatedChannels.isMoving(talk.client)) {
      count("acts while a connection moves");
    }
    switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4, 5, 6, 7, 8 -> talk.write(size(), true);
      case 9, 10 -> talk.write(size(), false);
      case 11, 12, 13 -> {
        for (int i = random.nextInt(40); i >= 0; i--) {
          talk.write(random.nextInt(6) == 0 ? size() : random.nextInt(200), random.nextInt(4) == 0);
        }
      }
      case 14 -> talk.client.flush();
      case 15, 16, 17 -> talk.known = true;
      case 18 -> {
        if (random.nextInt(4) == 0) {
          talk.write(size(), true);
          talk.client.close();
          talk.left = true;
        }
      }
      default -> {
      }
    }
  }

  private void onClients(Consumer<MovingTalk> action) {
    if (!members[0].dead) {
      talks.forEach(talk -> homes[0].execute(() -> action.accept(talk)));
    }
  }

  @Override
  protected void happen() {
    RegionMember member = members[random.nextInt(members.length)];
    int what = random.nextInt(100);
    MovingTalk moving = talks.stream().filter(talk -> talk.connected && SimulatedChannels.isMoving(talk.client)).findFirst().orElse(null);
    if (moving != null && random.nextInt(4) == 0) {
      count("fabrics lost while a connection moves");
      homes[1].execute(moving::loseFabric);
    } else if (what < 6 || talks.isEmpty()) {
      connect();
    } else if (what < 94) {
      MovingTalk talk = any(talks);
      if (!members[0].dead) {
        homes[0].execute(() -> {
          if (talk.connected) {
            act(talk);
          }
        });
      }
    } else if (what < 97) {
      stop(member, homes[member.number]);
    } else if (what < 99) {
      cut(members[0], members[1]);
    } else if (!members[0].dead && !members[1].dead && random.nextInt(3) == 0) {
      kill(member, homes[member.number]);
      talks.forEach(talk -> talk.tcp.kill(member.number == 0));
    }
  }

  @Override
  protected void play() {
    pass(TimeUnit.MILLISECONDS.toNanos(50));
    play(30 + random.nextInt(120), 6, 1_500, 2);
  }

  @Override
  protected void finish() {
    resume();
    onClients(talk -> {
      talk.known = true;
      talk.client.flush();
    });
    pass(TimeUnit.SECONDS.toNanos(40));
    if (members[0].dead) {
      talks.forEach(MovingTalk::checkLeft);
    } else if (!members[1].dead) {
      talks.forEach(MovingTalk::checkArrived);
      talks.forEach(MovingTalk::checkTaken);
    }
    onClients(talk -> talk.client.close());
    pass(TimeUnit.SECONDS.toNanos(140));
    if (!members[0].dead) {
      talks.forEach(MovingTalk::checkOver);
    }
    end();
  }
}
