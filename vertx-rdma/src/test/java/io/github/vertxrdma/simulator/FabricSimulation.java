package io.github.vertxrdma.simulator;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.SendCompletion;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.provider.rdm.RdmLayer;
import io.github.vertxrdma.simulator.world.Fault;
import io.github.vertxrdma.simulator.world.FragileDevice;
import io.github.vertxrdma.simulator.world.Network;
import io.github.vertxrdma.simulator.world.Simulation;
import io.github.vertxrdma.simulator.world.Weather;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

abstract class FabricSimulation extends Simulation implements Network.Watcher {
  final boolean connectionless;
  final boolean readsOutliveLinks;
  final SimulatedControl control = new SimulatedControl();
  final Network network;
  final InMemoryFabric fabric;

  FabricSimulation(long seed, boolean traced, String name, boolean various) {
    super(seed, traced);
    connectionless = seed % Conversation.CONNECTIONLESS == 0;
    boolean events = random.nextInt(3) > 0;
    // With mapped memory the end of a peer is reported by another way, so a peer that hangs has to be watched all the time here.
    Capabilities drawn = InMemoryFabric.CAPABILITIES.toBuilder().peerFailureEvents(events).maps(!events && !connectionless)
      .receivesInPlace(!connectionless && seed % 4 < 2)
      .orders(connectionless && random.nextBoolean() ? Set.of() : InMemoryFabric.CAPABILITIES.orders()).build();
    readsOutliveLinks = connectionless || drawn.maps();
    Limits limits = !various ? InMemoryFabric.LIMITS : new Limits(64 << 20, 1L << 40, random.nextInt(2) * 64, 1024, 1 << 14, 8,
      1 + random.nextInt(16), 56, Long.MAX_VALUE, 1 << 20, 1 << 20, 8);
    long networkSeed = random.nextLong();
    Weather weather = Weather.of(random);
    SendCompletion[] all = SendCompletion.values();
    Capabilities capabilities = drawn.toBuilder()
      .sendCompletion(weather.earlyCompletions() ? SendCompletion.LOCAL : all[(int) Math.floorMod(seed / 2, all.length)]).build();
    network = new Network(time, networkSeed, weather, capabilities, connectionless, trace, this);
    fabric = InMemoryFabric.create(name, capabilities, limits, network);
  }

  final Domain open() {
    return FragileDevice.over(openRaw(), time, this::violated);
  }

  final Domain openRaw() {
    return connectionless ? RdmLayer.over(fabric.rdmDevice().openRdm(), time.clock(1), random.split()) : fabric.device().open();
  }

  @Override
  public void disturbed(Fault fault, int from, int to) {
    faults.merge(fault, 1L, Long::sum);
  }

  final void kill(RegionMember member, SimulatedLoop home) {
    disturbed(Fault.KILLED, member.domainNumber, -1);
    member.dead = true;
    network.kill(member.domainNumber);
    member.host.kill();
    home.kill();
    member.domain.close();
  }

  /** Ends the links of a member. Then nothing is under way with its device, which may be closed. */
  final void end(RegionMember member) {
    member.end().onComplete(done -> {
      member.gone = true;
      if (!member.dead && member.host.isBlocking()) {
        violated("node " + member.number + " has closed its loop, and work off it is under way");
      }
    });
  }

  final void close(RegionMember member) {
    disturbed(Fault.CLOSED, member.domainNumber, -1);
    member.closed = true;
    member.host.execute(() -> end(member));
  }

  final void stop(RegionMember member, List<SimulatedLoop> loops) {
    disturbed(Fault.STOPPED, member.domainNumber, -1);
    loops.forEach(SimulatedLoop::stop);
    time.after(TimeUnit.MILLISECONDS.toNanos(random.nextInt(random.nextBoolean() ? 200 : 5_000)),
      () -> loops.forEach(SimulatedLoop::resume));
  }

  final void stop(RegionMember member, SimulatedLoop home) {
    stop(member, random.nextBoolean() ? List.of(member.host, home) : List.of(home));
  }

  final void cut(RegionMember one, RegionMember other) {
    if (one != other) {
      network.cut(one.domainNumber, other.domainNumber, TimeUnit.MILLISECONDS.toNanos(random.nextInt(random.nextBoolean() ? 100 : 4_000)));
    }
  }

  final void checkOpen() {
    Map<String, Long> open = fabric.open();
    open.remove("domains");
    if (!open.isEmpty()) {
      violated("left open: " + open);
    }
  }
}
