package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.transport.SimulatedChannels;
import io.github.vertxrdma.simulator.world.Simulation;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.socket.DuplexChannel;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Channels of Netty over links, on simulated event loops, determined by a seed. Channels are connected, written to, read slowly, half
 * closed and closed, while nodes stop and die, and the fabric has the faults of a {@link Conversation}. Channels run on the loop of their
 * link, or on another.
 */
final class ChannelConversation extends ChannelSimulation {
  private static final int MOST_TALKS = 12;

  private final List<ChannelEnd[]> talks = new ArrayList<>();

  ChannelConversation(long seed, boolean traced) {
    super(seed, traced, "channels");
  }

  static String found(long seed) {
    return Simulation.found(new ChannelConversation(seed, false));
  }

  boolean chance(int of) {
    return random.nextInt(of) == 0;
  }

  private void connect() {
    RegionMember from = members[0];
    RegionMember to = members[1];
    if (talks.size() == MOST_TALKS || from.listener == null || to.listener == null) {
      return;
    }
    int number = talks.size();
    ChannelEnd[] talk = new ChannelEnd[2];
    talks.add(talk);
    SimulatedLoop home = homes[0];
    home.execute(() -> {
      DuplexChannel channel = SimulatedChannels.connecting(opener -> dial(number, 3_000, opener), loop(home), loop(from.host));
      new ChannelEnd(this, number, talk, 0, from, channel);
      channel.unsafe().register(loop(home), channel.newPromise());
      channel.connect(new LocalAddress("there"));
    });
  }

  @Override
  void accept(RegionMember at, IncomingLink incoming) {
    Link link = incoming.accept(NONE);
    if (link != null) {
      int number = ByteBuffer.wrap(incoming.greeting().data()).getInt();
      DuplexChannel channel = SimulatedChannels.accepted(link, loop(at.host));
      new ChannelEnd(this, number, talks.get(number), 1, at, channel);
      channel.unsafe().register(loop(homes[at.number]), channel.newPromise());
    }
  }

  private int size() {
    return switch (random.nextInt(6)) {
      case 0 -> random.nextInt(3);
      case 1, 2 -> random.nextInt(300);
      case 3 -> 4000 + random.nextInt(200);
      case 4 -> random.nextInt(random.nextInt(4) == 0 ? 400_000 : 40_000);
      default -> random.nextInt(4000);
    };
  }

  private void act(ChannelEnd end) {
    switch (random.nextInt(24)) {
      case 0, 1, 2, 3, 4, 5, 6, 7 -> end.write(size(), true);
      case 8, 9 -> end.write(size(), false);
      case 10, 11 -> {
        for (int i = random.nextInt(40); i >= 0; i--) {
          end.write(random.nextInt(6) == 0 ? size() : random.nextInt(200), random.nextInt(4) == 0);
        }
      }
      case 12 -> end.channel.flush();
      case 13, 14 -> end.reading(false);
      case 15, 16 -> end.reading(true);
      case 17 -> end.shutdownOutput();
      case 18 -> {
        end.write(size(), true);
        end.shutdownOutput();
      }
      case 19 -> {
        end.write(size(), true);
        end.close();
      }
      case 20 -> end.close();
      case 21 -> {
        for (int i = random.nextInt(8); i >= 0; i--) {
          end.write(100_000, true);
        }
      }
      default -> {
      }
    }
  }

  private void on(ChannelEnd end, Consumer<ChannelEnd> action) {
    homes[end.member.number].execute(() -> action.accept(end));
  }

  @Override
  protected void happen() {
    RegionMember member = members[random.nextInt(members.length)];
    int what = random.nextInt(100);
    if (what < 10 || talks.isEmpty()) {
      connect();
    } else if (what < 94) {
      ChannelEnd end = talks.get(random.nextInt(talks.size()))[random.nextInt(2)];
      if (end != null && !end.member.dead) {
        on(end, each -> {
          if (each.isConnected()) {
            act(each);
          }
        });
      }
    } else if (what < 97) {
      stop(member, homes[member.number]);
    } else if (what < 99) {
      cut(members[0], members[1]);
    } else if (!members[0].dead && !members[1].dead && random.nextInt(3) == 0) {
      kill(member, homes[member.number]);
      forEach(ChannelEnd::peerDied);
    }
  }

  @Override
  protected void play() {
    pass(TimeUnit.MILLISECONDS.toNanos(50));
    play(30 + random.nextInt(120), 8, 400, 2);
  }

  private void forEach(Consumer<ChannelEnd> action) {
    talks.forEach(talk -> {
      for (ChannelEnd end : talk) {
        if (end != null && !end.member.dead) {
          action.accept(end);
        }
      }
    });
  }

  @Override
  protected void finish() {
    resume();
    forEach(end -> on(end, each -> {
      each.reading(true);
      each.channel.flush();
    }));
    pass(TimeUnit.SECONDS.toNanos(20));
    forEach(ChannelEnd::checkWritten);
    int first = random.nextInt(2);
    forEach(end -> on(end, each -> {
      if (each.member.number == first) {
        each.close();
      }
    }));
    pass(TimeUnit.SECONDS.toNanos(70));
    forEach(end -> on(end, ChannelEnd::close));
    pass(TimeUnit.SECONDS.toNanos(70));
    forEach(ChannelEnd::check);
    forEach(ChannelEnd::checkArrived);
    forEach(ChannelEnd::checkOver);
    end();
  }
}
