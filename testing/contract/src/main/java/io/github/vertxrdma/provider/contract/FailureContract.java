package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

public interface FailureContract extends ContractFixture {

  @ContractTest
  default void disconnectByConnectorNotifiesBothSides(Pair pair) {
    pair.left().disconnect();
    assertDisconnected(pair);
  }

  @ContractTest
  default void disconnectByAcceptorNotifiesBothSides(Pair pair) {
    pair.right().disconnect();
    assertDisconnected(pair);
  }

  private static void assertDisconnected(Pair pair) {
    pair.until("both are notified", () -> pair.a.disconnected.contains(pair.left()) && pair.b.disconnected.contains(pair.right()));
    for (Side side : new Side[] {pair.a, pair.b}) {
      assertEquals(ProviderException.Reason.DISCONNECTED, side.cause.reason(), side.cause.getMessage());
      assertEquals(EndpointState.BROKEN, side.endpoint.state());
      assertNotNull(side.endpoint.failure());
      Side.assertPost(Status.NOT_CONNECTED, side.endpoint, new WorkRequest().send(side.region(64), 0, side.prefix() + 8));
    }
    pair.poll(100);
    assertReceivesFlushed(pair.a);
    assertReceivesFlushed(pair.b);
  }

  /** Checks only receives of endpoints. Receives of a shared queue stay posted. */
  private static void assertReceivesFlushed(Side side) {
    if (side.shared() == null) {
      Await.until("posted receives come back", () -> side.failedSlots.size() == side.slotsPosted(), side::poll, side::toString);
    }
    for (Completion slot : side.failedSlots) {
      assertEquals(Status.FLUSHED, slot.status(), slot.toString());
    }
  }

  @ContractTest
  default void closeWithoutDisconnectNotifiesThePeer(Pair pair) {
    pair.left().close();
    assertEquals(EndpointState.CLOSED, pair.left().state());
    pair.until("the peer is notified of it", () -> pair.b.disconnected.contains(pair.right()));
    assertFalse(pair.a.disconnected.contains(pair.left()), "a closed endpoint was notified");
  }

  @ContractTest
  default void closedEndpointIsNotNotified(Pair pair) {
    pair.left().disconnect();
    int notified = pair.a.disconnected.size();
    pair.left().close();
    pair.until("the peer is notified of it", () -> pair.b.disconnected.contains(pair.right()));
    assertSilent(pair, notified);
    pair.connect();
    pair.left().peerDead("a test says so");
    notified = pair.a.disconnected.size();
    pair.left().close();
    assertSilent(pair, notified);
  }

  private static void assertSilent(Pair pair, int notified) {
    pair.poll(100);
    assertEquals(notified, pair.a.disconnected.size(), "a closed endpoint was notified");
  }

  @ContractTest
  default void aClosedCompletionQueueEndsItsConnections(Pair pair) {
    pair.a.closeQueue();
    Await.until("the peer is notified of it", () -> pair.b.disconnected.contains(pair.right()), pair.b::poll, pair.b::toString);
    assertEquals(EndpointState.CLOSED, pair.left().state());
  }

  /** Polls the receiver before the close only if the sends would not complete. */
  @ContractTest
  default void messagesThatArrivedAreDeliveredBeforeEndOfPeer(Pair pair) {
    int count = 8;
    List<Long> sends = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      sends.add(pair.a.send(pair.left(), Pattern.bytes(i, 100), PostFlags.SIGNALED));
    }
    int[] polls = {0};
    Await.until("the sends complete", () -> sends.stream().allMatch(id -> pair.a.completion(id) != null), () -> {
      int drained = pair.a.poll();
      return ++polls[0] > 1_000 ? drained + pair.b.poll() : drained;
    }, pair.a::toString);
    pair.a.closeQueue();
    Await.until("the peer is notified of it", () -> pair.b.disconnected.contains(pair.right()), pair.b::poll, pair.b::toString);
    assertEquals(count, pair.b.messages.size());
    for (int i = 0; i < count; i++) {
      Pattern.check(pair.b.messages.poll().data(), 100, i);
    }
  }

  @ContractTest
  default void aPeerDeclaredDeadIsBroken(Pair pair) {
    pair.left().peerDead("a test says so");
    pair.until("the handler is called", () -> pair.a.disconnected.contains(pair.left()));
    assertEquals(EndpointState.BROKEN, pair.left().state());
    assertTrue(pair.left().failure().getMessage().contains("a test says so"), pair.left().failure().getMessage());
    Side.assertPost(Status.NOT_CONNECTED, pair.left(), new WorkRequest().send(pair.a.region(64), 0, pair.a.prefix() + 8));
    pair.left().peerDead("again");
    pair.poll(100);
  }

  @ContractTest
  default void workOutstandingAtADisconnectIsFlushedOrDone(Pair pair) {
    MemoryRegion memory = pair.a.region(1 << 16);
    int posted = 0;
    while (posted < 50 && pair.left().post(
      new WorkRequest().send(memory, 1200L * posted, pair.a.prefix() + 1000).id(posted).flags(PostFlags.SIGNALED)) == Status.OK) {
      posted++;
    }
    int number = posted;
    pair.left().disconnect();
    pair.until("every post's end", () -> pair.a.completions.size() == number);
    for (int i = 0; i < number; i++) {
      Completion completion = pair.a.completions.get(i);
      assertEquals(i, completion.requestId());
      assertTrue(completion.ok() || completion.status() == Status.FLUSHED || completion.status() == Status.CONNECTION_LOST
        || completion.status() == Status.CANCELLED, completion.toString());
    }
    assertEquals(0, pair.left().outstanding());
  }

  @ContractTest
  default void closeWithOutstandingWorkLeavesTheQueueUsable(Pair pair) {
    Endpoint first = pair.left();
    MemoryRegion memory = pair.a.openRegion(1 << 20);
    MemoryRegion peers = pair.b.openRegion(1 << 20);
    RemoteMemory remote = pair.a.remote(peers);
    for (int i = 0; i < 10; i++) {
      int send = first.post(new WorkRequest().send(memory, 600L * i, pair.a.prefix() + 500).id(-100 - i).flags(PostFlags.SIGNALED));
      int read = first.post(new WorkRequest().read(memory, 10_000, 50_000, remote, 0).id(-200 - i).flags(PostFlags.SIGNALED));
      assertTrue((send == Status.OK || send == Status.AGAIN) && (read == Status.OK || read == Status.AGAIN));
    }
    first.close();
    int owned = first.outstanding();
    pair.until("the fabric gives its work back", () -> first.outstanding() == 0);
    assertTrue(pair.a.completions.size() <= owned, "completions of a closed endpoint: " + pair.a.completions);
    pair.a.completions.clear();
    pair.b.messages.clear();
    pair.connect();
    pair.success(pair.a, pair.a.send(pair.left(), Pattern.bytes(1, 77), PostFlags.SIGNALED));
    pair.until("the new connection's message", () -> pair.b.messages.stream().anyMatch(m -> m.endpoint() == pair.right()));
  }

  @ContractTest
  default void forgedKeyWritesNothingAndBlocksNothing(Pair pair) {
    MemoryRegion victim = pair.b.openRegion(4096);
    byte[] key = victim.remoteKey();
    key[key.length / 2] ^= 0x5a;
    key[0] ^= 0x21;
    attack(pair, victim, key, victim.remoteAddress());
  }

  @ContractTest
  default void keyOfClosedRegionWritesNothingAndBlocksNothing(Pair pair) {
    MemoryRegion victim = pair.b.openRegion(4096);
    byte[] key = victim.remoteKey();
    long address = victim.remoteAddress();
    victim.close();
    attack(pair, victim, key, address);
  }

  @ContractTest
  default void accessThatWasNotGivenWritesNothing(Pair pair) {
    MemoryRegion victim = pair.b.region(4096, Access.LOCAL_WRITE);
    attack(pair, victim, victim.remoteKey(), victim.remoteAddress());
  }

  /**
   * Accesses memory with an invalid key. The initiator may see an error, a broken connection, or a successful write. The memory must be
   * unchanged, a read must fail, and a new connection must work.
   */
  private static void attack(Pair pair, MemoryRegion victim, byte[] key, long address) {
    MemoryRegion own = pair.a.openRegion(4096);
    Pattern.fill(own.segment(), 0, 4096, 1);
    Pattern.fill(victim.segment(), 0, 4096, 2);
    RemoteMemory forged;
    try {
      forged = pair.a.domain().remoteMemory(address, 4096, key);
    } catch (ProviderException e) {
      assertEquals(ProviderException.Reason.INVALID, e.reason());
      return;
    }
    Endpoint left = pair.left();
    left.post(new WorkRequest().write(own, 0, 4096, forged, 0).id(-1).flags(PostFlags.SIGNALED));
    settle(pair, left, -1);
    MemoryRegion sink = pair.a.openRegion(4096);
    if (left.post(new WorkRequest().read(sink, 0, 4096, forged, 0).id(-2).flags(PostFlags.SIGNALED)) == Status.OK) {
      settle(pair, left, -2);
      Completion read = pair.a.completion(-2);
      assertTrue(read == null || !read.ok(), "a read with a key that must not work succeeded");
    }
    Pattern.check(victim.segment(), 0, 4096, 2);
    left.close();
    forged.close();
    pair.connect();
    pair.success(pair.a, pair.a.send(pair.left(), Pattern.bytes(1, 10), PostFlags.SIGNALED));
    pair.until("a message over a new connection", () -> pair.b.messages.stream().anyMatch(m -> m.endpoint() == pair.right()));
    Pattern.check(victim.segment(), 0, 4096, 2);
  }

  /** Waits up to 1 s for the result, because some fabrics never report one. */
  private static void settle(Pair pair, Endpoint endpoint, long requestId) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
    while (pair.a.completion(requestId) == null && endpoint.state() == EndpointState.CONNECTED && System.nanoTime() < deadline) {
      pair.poll();
      Thread.yield();
    }
  }

  @ContractTest
  default void memoryCanBeFreedAfterClose() {
    for (int round = 0; round < 5; round++) {
      try (Pair pair = Pair.connected(device())) {
        MemoryRegion own = pair.a.openRegion(1 << 20);
        MemoryRegion peers = pair.b.openRegion(1 << 20);
        RemoteMemory remote = pair.a.remote(peers);
        for (int i = 0; i < 5; i++) {
          pair.left().post(new WorkRequest().write(own, 0, 1 << 20, remote, 0).id(i));
          pair.left().post(new WorkRequest().read(own, 0, 1 << 20, remote, 0).id(i));
        }
        pair.left().close();
        pair.until("nothing outstanding", () -> pair.left().outstanding() == 0);
        own.close();
        peers.close();
      } // close() frees the memory, so a late copy would crash
    }
  }

  @ContractTest
  default void closeDuringReadLeavesOtherConnectionsOpen(Pair pair) {
    int size = 8 << 20;
    Endpoint reader = pair.left();
    MemoryRegion own = pair.a.openRegion(size);
    MemoryRegion peers = pair.b.openRegion(size);
    RemoteMemory remote = pair.a.remote(peers);
    reader.post(new WorkRequest().read(own, 0, size, remote, 0).id(Side.nextId()));
    // Receives a part of the read's answer. The rest waits in the socket.
    for (int i = 0; i < 20; i++) {
      pair.b.poll();
    }
    pair.a.poll();
    reader.close();
    pair.connect();
    pair.connect();
    for (int round = 0; round < 20; round++) {
      int length = 1000 + round;
      for (int i = 0; i < 4; i++) {
        pair.a.send(pair.left(), Pattern.bytes(100 + i, length), PostFlags.SIGNALED);
        pair.b.send(pair.right(), Pattern.bytes(200 + i, length), PostFlags.SIGNALED);
      }
      long written = Side.nextId();
      pair.post(() -> pair.left().post(new WorkRequest().write(own, 0, 1 << 16, remote, 0).id(written).flags(PostFlags.SIGNALED)));
      for (int i = 0; i < 4; i++) {
        Pattern.check(pair.message(pair.b).data(), length, 100 + i);
        Pattern.check(pair.message(pair.a).data(), length, 200 + i);
      }
      pair.success(pair.a, written);
    }
  }
}
