package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Two nodes with channels of Netty over links. Channels run on the loop of their link, or on another. */
abstract class ChannelSimulation extends FabricSimulation {
  private static final VertxInternal VERTX = (VertxInternal) Vertx.vertx();
  static final byte[] NONE = {};

  final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  final RegionMember[] members = new RegionMember[2];
  final SimulatedLoop[] homes = new SimulatedLoop[2];

  ChannelSimulation(long seed, boolean traced, String name) {
    super(seed, traced, name, false);
    for (int i = 0; i < members.length; i++) {
      start(i);
    }
  }

  private void start(int number) {
    RegionMember member = new RegionMember(number, number, open(), new SimulatedLoop(time, random.nextLong()), control);
    homes[number] = random.nextBoolean() ? member.host : new SimulatedLoop(time, random.nextLong());
    SimulatedEventLoop.context(VERTX, member.host);
    if (homes[number] != member.host) {
      SimulatedEventLoop.context(VERTX, homes[number]);
    }
    members[number] = member;
    int credits = 1 << random.nextInt(5);
    member.host.execute(() -> member.start(new LoopOptions(4096, credits, 8, 16384, 1 << 17, 2_000, 400, 2_000, 0, 64 << 10),
      incoming -> accept(member, incoming)).onFailure(cause -> violated("node " + number + " could not start: " + cause)));
  }

  abstract void accept(RegionMember at, IncomingLink incoming);

  static EventLoop loop(SimulatedLoop of) {
    return of.context().nettyEventLoop();
  }

  /** Connects the first node to the second. The future completes on the channel's loop. */
  final Future<Object> dial(int number, int timeoutMillis, Function<Link, Object> opener) {
    RegionMember from = members[0];
    byte[] data = ByteBuffer.allocate(4).putInt(number).array();
    Promise<Object> dialled = Promise.promise();
    from.host.execute(() -> LinkConnector.connect(from.loop, members[1].listener.localAddress(), from.identity(), "channel", data,
      timeoutMillis, opener).onComplete((made, cause) -> homes[0].execute(() -> dialled.complete(made, cause))));
    return dialled.future();
  }

  final void resume() {
    network.calm();
    for (int i = 0; i < members.length; i++) {
      members[i].host.resume();
      homes[i].resume();
    }
  }

  /** Closes both nodes, and checks that nothing is left. */
  final void end() {
    boolean killed = members[0].dead || members[1].dead;
    for (RegionMember member : members) {
      if (member.dead) {
        member.host.exhume();
        homes[member.number].exhume();
      }
      if (member.listener != null) {
        member.host.execute(() -> end(member));
      }
    }
    pass(TimeUnit.SECONDS.toNanos(30));
    checkOpen();
    if (!killed && allocator.metric().usedHeapMemory() > 0) {
      violated(allocator.metric().usedHeapMemory() + " bytes of buffers are left");
    }
    for (RegionMember member : members) {
      member.domain.close();
    }
    checkTimers();
  }
}
