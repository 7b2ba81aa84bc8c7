package io.github.vertxrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.github.vertxrdma.impl.link.LinkIdentity;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.link.LinkWatcher;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.link.PlainHandshake;
import io.github.vertxrdma.impl.poll.CompletionHandler;
import io.github.vertxrdma.impl.poll.QueuePoller;
import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests a thousand nodes in virtual time, each with a few peers. An event at a node costs its peers turns of their loops, and no other
 * node. An idle link costs none.
 */
@Timeout(60)
class ManyNodesTest {
  private static final int NODES = 1000;
  private static final int PEERS = 3;
  private static final int MANY_PEERS = 500;
  private static final long LONG = TimeUnit.MINUTES.toNanos(10);
  private static final long SOON = TimeUnit.SECONDS.toNanos(30);
  private static final LoopOptions OPTIONS = new LoopOptions(4096, 2, 6, 4096, 1 << 20, 60_000, 2_000, 10_000, 256, 0);
  private static final byte[] NONE = {};
  private static final int CONNECT_MILLIS = 5_000;

  private final VirtualTime time = new VirtualTime();
  private final InMemoryFabric fabric = InMemoryFabric.create("many", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  private final List<Member> members = new ArrayList<>();

  private final class Member extends SimulatedLoop {
    private final int number;
    private final Domain domain = fabric.device().open();
    private final List<Link> links = new ArrayList<>();
    private final DeviceLoop loop;
    private final LinkListener listener;
    private long turns;
    private int messages;

    Member(int number) {
      super(time, number);
      this.number = number;
      loop = now(DeviceLoop.open(this, domain, OPTIONS));
      listener = now(LinkListener.listen(loop, null, 0, at -> identity(), incoming -> take(incoming.accept(NONE))));
    }

    private LinkIdentity identity() {
      return new LinkIdentity(() -> NodeEntry.local("node" + number, 1), new PlainHandshake(Node.WORD), LinkWatcher.NONE);
    }

    private Link take(Link link) {
      links.add(link);
      link.handler(new MessageHandler() {
        @Override
        public void message(ByteBuf message) {
          message.release();
          messages++;
        }

        @Override
        public void closed(Throwable why) {
          links.remove(link);
        }
      });
      return link;
    }

    void connect(Member to) {
      now(begin(to));
    }

    Future<Link> begin(Member to) {
      return LinkConnector.connect(loop, to.listener.localAddress(), identity(), "any", NONE, CONNECT_MILLIS, this::take);
    }

    void talk() {
      links.forEach(link -> link.send(Unpooled.wrappedBuffer(new byte[1]), null));
    }

    void end() {
      listener.close();
      now(loop.close(new IllegalStateException("it ends")));
      domain.close();
    }

    @Override
    public Future<QueuePoller> attach(CompletionQueue queue, Progress progress, CompletionHandler handler) {
      return super.attach(queue, progress, new CompletionHandler() {
        @Override
        public void completions(CompletionBatch batch) {
          handler.completions(batch);
        }

        @Override
        public void turnEnd() {
          turns++;
          handler.turnEnd();
        }

        @Override
        public void sleepsWaiting() {
          handler.sleepsWaiting();
        }

        @Override
        public void peersWait() {
          handler.peersWait();
        }

        @Override
        public void failed(Throwable cause) {
          handler.failed(cause);
        }
      });
    }
  }

  private <T> T now(Future<T> future) {
    time.passWhile(() -> !future.isComplete(), TimeUnit.SECONDS.toNanos(1), Long.MAX_VALUE);
    time.pass(TimeUnit.MILLISECONDS.toNanos(1));
    assertTrue(future.succeeded(), () -> "not done: " + future.cause());
    return future.result();
  }

  private List<Integer> busy(long[] before) {
    List<Integer> busy = new ArrayList<>();
    for (int i = 0; i < before.length; i++) {
      if (members.get(i).turns > before[i]) {
        busy.add(i);
      }
    }
    return busy;
  }

  private long[] turns() {
    return members.stream().mapToLong(member -> member.turns).toArray();
  }

  @Test
  void failureOfOneNodeAffectsOnlyItsPeers() {
    for (int i = 0; i < NODES; i++) {
      members.add(new Member(i));
    }
    for (int i = 0; i < NODES; i++) {
      for (int peer = 1; peer <= PEERS; peer++) {
        members.get(i).connect(members.get((i + peer) % NODES));
      }
    }
    members.forEach(Member::talk);
    time.pass(SOON);
    members.forEach(member -> assertEquals(2 * PEERS, member.messages));

    long[] before = turns();
    time.pass(LONG);
    assertEquals(List.of(), busy(before), "idle loops have turns");

    Member joins = new Member(NODES);
    members.add(joins);
    List.of(10, 20, 30).forEach(peer -> joins.connect(members.get(peer)));
    joins.talk();
    time.pass(SOON);
    assertEquals(List.of(10, 20, 30), busy(before));

    before = turns();
    joins.end();
    time.pass(SOON);
    assertEquals(List.of(10, 20, 30), busy(before).stream().filter(each -> each != NODES).toList());
    members.removeLast();

    before = turns();
    members.get(500).end();
    time.pass(SOON);
    assertEquals(List.of(497, 498, 499, 501, 502, 503), busy(before).stream().filter(each -> each != 500).toList());
    members.remove(500);
    members.forEach(Member::end);
    assertTrue(fabric.open().isEmpty(), () -> "left open: " + fabric.open());
  }

  @Test
  void allPeersOfOneReachItAtOnceWhenItReturns() {
    for (int i = 0; i < MANY_PEERS; i++) {
      members.add(new Member(i));
    }
    for (int life = 0; life < 3; life++) {
      Member middle = new Member(MANY_PEERS + life);
      List<Future<Link>> made = members.stream().map(member -> member.begin(middle)).toList();
      time.pass(TimeUnit.MILLISECONDS.toNanos(CONNECT_MILLIS));
      assertEquals(List.of(),
        made.stream().filter(link -> !link.succeeded()).map(link -> String.valueOf(link.cause())).distinct().toList());
      middle.talk();
      members.forEach(Member::talk);
      time.pass(SOON);
      assertEquals(MANY_PEERS, middle.messages);
      int lives = life + 1;
      members.forEach(member -> assertEquals(lives, member.messages));
      middle.end();
      time.pass(SOON);
      members.forEach(member -> assertEquals(List.of(), member.links));
    }
    members.forEach(Member::end);
    assertTrue(fabric.open().isEmpty(), () -> "left open: " + fabric.open());
  }
}
