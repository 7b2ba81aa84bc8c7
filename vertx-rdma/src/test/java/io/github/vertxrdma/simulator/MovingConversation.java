package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.transport.SimulatedChannels;
import io.github.vertxrdma.impl.transport.SimulatedTcp;
import io.github.vertxrdma.simulator.world.Simulation;
import io.netty.channel.local.LocalAddress;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * TCP connections that move to the fabric at any moment, on simulated event loops, determined by a seed. Both sides write, pause and close
 * them, while nodes stop and die, and the fabric has the faults of a {@link Conversation}.
 */
final class MovingConversation extends ChannelSimulation {
  private static final int MOST_TALKS = 6;

  /** Whether no fabric is lost, and no node stops or dies. */
  final boolean isCalm = random.nextInt(4) == 0;
  /** Whether connections may be lost although both processes live. */
  boolean isCut;
  private final List<MovingTalk> talks = new ArrayList<>();

  MovingConversation(long seed, boolean traced) {
    super(seed, traced, "moving");
    if (isCalm) {
      network.calm();
    }
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
    boolean forced = random.nextInt(3) == 0;
    boolean alone = forced && random.nextBoolean();
    boolean halfCloses = random.nextInt(3) == 0;
    boolean paused = random.nextInt(3) == 0;
    homes[0].execute(() -> {
      talk.client.use(SimulatedChannels.connecting(tcp, opener -> dial(talk, opener), loop(homes[0]), loop(from.host), forced),
        halfCloses);
      talk.client.channel.config().setAutoRead(!paused);
      talk.client.channel.unsafe().register(loop(homes[0]), talk.client.channel.newPromise());
      talk.client.channel.connect(new LocalAddress("there"));
    });
    homes[1].execute(() -> {
      talk.server.use(SimulatedChannels.accepted(tcp, alone), halfCloses);
      talk.server.channel.config().setAutoRead(!paused);
      talk.server.channel.unsafe().register(loop(homes[1]), talk.server.channel.newPromise());
    });
  }

  boolean isDead(boolean client) {
    return members[client ? 0 : 1].dead;
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
    MovingTalk talk = talks.get(ByteBuffer.wrap(incoming.greeting().data()).getInt());
    if (!talk.server.isRegistered()) {
      incoming.refuse("the connection was not accepted yet");
      return;
    }
    Link link = incoming.accept(NONE);
    if (link != null) {
      talk.server.movable.move(link, loop(homes[at.number]), loop(at.host));
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

  private void act(MovingTalk talk, MovingTalk.Side side) {
    if (side.shutDown) {
      return;
    }
    if (side.movable.isMoving()) {
      count("acts while a connection moves");
    }
    switch (random.nextInt(25)) {
      case 0, 1, 2, 3, 4, 5, 6, 7, 8 -> side.write(size(), true);
      case 9, 10 -> side.write(size(), false);
      case 11, 12, 13 -> {
        for (int i = random.nextInt(40); i >= 0; i--) {
          side.write(random.nextInt(6) == 0 ? size() : random.nextInt(200), random.nextInt(4) == 0);
        }
      }
      case 14 -> side.flush();
      case 15, 17 -> talk.known = true;
      case 18 -> {
        if (random.nextInt(4) == 0) {
          side.write(size(), true);
          side.left = true;
          side.channel.close();
        }
      }
      case 16, 19 -> side.channel.config().setAutoRead(!side.channel.config().isAutoRead());
      case 20 -> side.channel.read();
      case 22, 23, 24 -> side.movable.receive(random.nextBoolean());
      case 21 -> {
        if (side.halfClosure && !side.shutDown && random.nextInt(4) == 0) {
          side.shutDownOutput();
        }
      }
      default -> {
      }
    }
  }

  private void onSides(BiConsumer<MovingTalk, MovingTalk.Side> action) {
    for (MovingTalk talk : talks) {
      onSide(talk, true, action);
      onSide(talk, false, action);
    }
  }

  private void onSide(MovingTalk talk, boolean client, BiConsumer<MovingTalk, MovingTalk.Side> action) {
    MovingTalk.Side side = client ? talk.client : talk.server;
    if (!isDead(client)) {
      homes[client ? 0 : 1].execute(() -> {
        if (side.connected) {
          action.accept(talk, side);
        }
      });
    }
  }

  private void close(MovingTalk.Side side, boolean client) {
    if (!isDead(client)) {
      homes[client ? 0 : 1].execute(() -> {
        if (side.isRegistered()) {
          side.left = true;
          side.channel.close();
        }
      });
    }
  }

  private void loseFabrics() {
    for (MovingTalk talk : talks) {
      if (!isCalm && talk.client.connected && talk.server.connected && random.nextInt(3) == 0
        && (talk.client.movable.isMoving() || talk.server.movable.isMoving())) {
        count("fabrics lost while a connection moves");
        isCut = true;
        members[1].host.execute(talk.server.movable::loseFabric);
      }
    }
  }

  @Override
  protected void happen() {
    RegionMember member = members[random.nextInt(members.length)];
    int what = random.nextInt(100);
    if (random.nextInt(3) == 0) {
      loseFabrics();
    }
    if (what < 6 || talks.isEmpty()) {
      connect();
    } else if (what < 94 || isCalm) {
      onSide(any(talks), random.nextInt(3) > 0, this::act);
    } else if (what < 97) {
      stop(member, homes[member.number]);
    } else if (what < 99) {
      cut(members[0], members[1]);
      isCut = true;
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
    talks.forEach(talk -> talk.known = true);
    onSides((talk, side) -> {
      side.flush();
      side.movable.receive(true);
      side.channel.config().setAutoRead(random.nextBoolean());
    });
    // Most connections move now, and some writes wait for it, of which one is the last.
    for (int i = 0; i < 15; i++) {
      onSides((talk, side) -> {
        if (!side.shutDown && !side.left && random.nextInt(3) > 0) {
          side.write(size(), true);
          side.movable.receive(random.nextInt(3) > 0);
        }
      });
      pass(TimeUnit.MILLISECONDS.toNanos(random.nextInt(160)));
      loseFabrics();
    }
    pass(TimeUnit.MILLISECONDS.toNanos(random.nextInt(1_000)));
    onSides((talk, side) -> {
      side.channel.config().setAutoRead(true);
      side.movable.receive(true);
    });
    pass(TimeUnit.SECONDS.toNanos(40));
    // Some forced connections have opened meanwhile.
    onSides((talk, side) -> side.channel.config().setAutoRead(true));
    pass(TimeUnit.SECONDS.toNanos(1));
    if (!members[0].dead && !members[1].dead) {
      talks.forEach(MovingTalk::checkArrived);
      onSides((talk, side) -> {
        if (!side.shutDown) {
          side.write(1, true);
        }
      });
      pass(TimeUnit.SECONDS.toNanos(10));
      talks.forEach(MovingTalk::checkArrived);
      talks.forEach(MovingTalk::checkMoved);
    } else if (!members[0].dead || !members[1].dead) {
      talks.forEach(talk -> talk.checkLeft(members[0].dead));
    }
    onSides((talk, side) -> {
      side.movable.receive(random.nextBoolean());
      if (!side.shutDown && random.nextBoolean()) {
        side.write(size(), true);
      }
    });
    pass(random.nextInt(1_000_000));
    for (MovingTalk talk : talks) {
      close(talk.client, true);
      close(talk.server, false);
    }
    pass(TimeUnit.SECONDS.toNanos(140));
    if (!members[0].dead && !members[1].dead) {
      talks.forEach(MovingTalk::checkOver);
    }
    end();
  }
}
