package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

public interface QueueContract extends ContractFixture {
  /** Message size in bytes from which libfabric lets the peer fetch the data. */
  int LONG_MESSAGE = 256 << 10;

  @ContractTest
  default void fullSendQueueReturnsAgainAndLosesNothing() {
    PairOptions options = new PairOptions().withEndpoint(new EndpointOptions().withDepths(8, 64)).withSlots(8, 20_000);
    try (Pair pair = Pair.connected(device(), options)) {
      int length = (int) Math.min(pair.a.prefix() + 20_000, device().limits().maxMessageSize());
      // Each message in flight needs its own memory, because the provider may write a prefix.
      int ranges = 2 * pair.left().sendDepth();
      MemoryRegion memory = pair.a.region((long) ranges * length);
      IntUnaryOperator post = id -> pair.left().post(
        new WorkRequest().send(memory, (long) id % ranges * length, length).id(id).flags(PostFlags.SIGNALED));
      int accepted = 0;
      int status;
      while ((status = post.applyAsInt(accepted)) == Status.OK) {
        accepted++;
        assertTrue(accepted < 20_000, "never full although no receive is posted");
      }
      assertEquals(Status.AGAIN, status);
      assertTrue(accepted > 0);
      int total = accepted + 200;
      int received = 0;
      while (received < total) {
        // Some fabrics break the connection at a message without a receive.
        while (accepted < total && accepted - received < 8 && (status = post.applyAsInt(accepted)) == Status.OK) {
          accepted++;
        }
        assertTrue(status == Status.OK || status == Status.AGAIN, Status.name(status));
        pair.poll();
        received += pair.b.messages.size();
        pair.b.messages.clear();
      }
      assertEquals(total, received);
      pair.until("all completions", () -> pair.a.completions.size() == total);
      for (int i = 0; i < total; i++) {
        assertEquals(i, pair.a.completions.get(i).requestId());
        assertTrue(pair.a.completions.get(i).ok());
      }
      assertEquals(0, pair.left().outstanding());
    }
  }

  @ContractTest
  default void unsignalledPostsMakeNoCompletionAndFreeTheirSlots() {
    try (Pair pair = Pair.connected(device(), new PairOptions().withEndpoint(new EndpointOptions().withDepths(16, 64)))) {
      int ranges = 2 * pair.left().sendDepth();
      MemoryRegion memory = pair.a.region(40L * ranges);
      int every = Math.max(2, pair.left().sendDepth() / 2);
      int total = 20 * every;
      int posted = 0;
      while (posted < total) {
        boolean signaled = (posted + 1) % every == 0;
        int status = posted - pair.b.messages.size() >= 16 ? Status.AGAIN : pair.left().post(
          new WorkRequest().send(memory, 40L * (posted % ranges), pair.a.prefix() + 20)
            .id(posted).flags(signaled ? PostFlags.SIGNALED : 0));
        if (status == Status.OK) {
          posted++;
        } else {
          assertEquals(Status.AGAIN, status);
        }
        pair.poll();
      }
      pair.until("all messages and signalled completions", () -> pair.b.messages.size() == total && pair.a.completions.size() >= 20);
      assertEquals(20, pair.a.completions.size(), () -> pair.a.completions.toString());
      for (int i = 0; i < 20; i++) {
        assertEquals((i + 1) * every - 1, pair.a.completions.get(i).requestId());
      }
      assertEquals(0, pair.left().outstanding());
    }
  }

  /** The peer may still fetch the long message after the post of the short one. */
  @ContractTest
  default void signalledCompletionFreesMemoryOfEarlierUnsignalledOnes() {
    int size = (int) Math.min(LONG_MESSAGE, device().limits().maxMessageSize());
    try (Pair pair = Pair.connected(device(), new PairOptions().withSlots(4, size))) {
      MemoryRegion memory = pair.a.region(size);
      for (int round = 0; round < 4; round++) {
        Pattern.fill(memory.segment(), pair.a.prefix(), size - pair.a.prefix(), round);
        assertEquals(Status.OK, pair.left().post(new WorkRequest().send(memory, 0, size).id(round)));
        pair.success(pair.a, pair.a.send(pair.left(), Pattern.bytes(round, 40), PostFlags.SIGNALED));
        memory.segment().fill((byte) -1);
        Pattern.check(pair.message(pair.b).data(), size - pair.a.prefix(), round);
        Pattern.check(pair.message(pair.b).data(), 40, round);
      }
    }
  }

  @ContractTest
  default void heldPostsAreSentWithTheNextPostOrFlush(Pair pair) {
    for (int i = 0; i < 3; i++) {
      pair.a.send(pair.left(), Pattern.bytes(i, 40), PostFlags.SIGNALED | PostFlags.MORE);
    }
    pair.a.send(pair.left(), Pattern.bytes(3, 40), PostFlags.SIGNALED);
    for (int i = 0; i < 4; i++) {
      Pattern.check(pair.message(pair.b).data(), 40, i);
    }
    for (int i = 0; i < 2; i++) {
      pair.a.send(pair.left(), Pattern.bytes(10 + i, 40), PostFlags.MORE);
    }
    long last = pair.a.send(pair.left(), Pattern.bytes(12, 40), PostFlags.SIGNALED | PostFlags.MORE);
    pair.post(pair.left()::flush);
    assertEquals(Status.OK, pair.left().flush(), "with nothing held back");
    for (int i = 0; i < 3; i++) {
      Pattern.check(pair.message(pair.b).data(), 40, 10 + i);
    }
    pair.success(pair.a, last);
  }

  @ContractTest
  default void requestAndItsListCanBeReusedAfterPost(Pair pair) {
    int size = pair.a.prefix() + 40;
    MemoryRegion memory = pair.a.region(3L * size);
    ScatterGather list = new ScatterGather(1);
    WorkRequest request = new WorkRequest();
    long id = Side.nextId();
    int flags = PostFlags.SIGNALED | PostFlags.MORE;
    for (int i = 0; i < 3; i++) {
      Pattern.fill(memory.segment(), (long) i * size + pair.a.prefix(), 40, i);
      if (i == 1) {
        request.send(list.clear().add(memory, size, size));
      } else {
        request.send(memory, (long) i * size, size);
      }
      request.id(id + i).flags(flags);
      pair.post(() -> pair.left().post(request));
      assertEquals(id + i, request.id());
      assertEquals(flags, request.flags());
      assertEquals(Operation.SEND, request.operation());
      assertEquals(size, request.length());
      assertSame(i == 1 ? list : null, request.list());
      assertSame(i == 1 ? null : memory, request.region());
    }
    request.clear();
    list.clear();
    pair.post(pair.left()::flush);
    for (int i = 0; i < 3; i++) {
      Pattern.check(pair.message(pair.b).data(), 40, i);
      pair.success(pair.a, id + i);
    }
  }

  @ContractTest
  default void heldPostsEndWithTheirEndpoint(Pair pair) {
    for (int i = 0; i < 3; i++) {
      pair.a.send(pair.left(), Pattern.bytes(i, 40), PostFlags.SIGNALED | PostFlags.MORE);
    }
    pair.left().close();
    pair.until("nothing of it is outstanding", () -> pair.left().outstanding() == 0);
    pair.until("the peer is notified of the end", () -> !pair.b.disconnected.isEmpty());
  }

  @ContractTest
  default void aBatchDrainsAtMostItsCapacity(Pair pair) {
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      ids.add(pair.a.send(pair.left(), new byte[10], PostFlags.SIGNALED));
    }
    pair.until("all messages", () -> {
      pair.b.poll();
      return pair.b.messages.size() == 10;
    });
    CompletionBatch three = new CompletionBatch(3);
    List<Long> drained = new ArrayList<>();
    pair.a.completions.forEach(c -> drained.add(c.requestId()));
    Await.until("all completions", () -> drained.size() == 10, () -> {
      pair.b.poll();
      int n = pair.a.queue().poll(three);
      assertTrue(n <= 3 && n == three.size());
      for (int i = 0; i < n; i++) {
        drained.add(three.requestId(i));
      }
      return n;
    }, drained::toString);
    assertEquals(ids, drained);
    assertEquals(0, pair.a.queue().poll(three));
    assertEquals(0, three.size());
  }

  @ContractTest
  default void fullReceiveQueueReturnsAgain() {
    try (Pair pair = Pair.connected(device(), new PairOptions().withEndpoint(new EndpointOptions().withDepths(16, 20)))) {
      ReceiveQueue receives = pair.left().receiveQueue();
      MemoryRegion memory = pair.a.region(4096, Access.LOCAL_WRITE);
      int status = Status.OK;
      for (int i = 0; status == Status.OK && i <= receives.capacity(); i++) {
        status = receives.post(Side.nextId(), memory, 0, 64 + pair.a.prefix());
      }
      assertEquals(Status.AGAIN, status);
    }
  }

  @ContractTest
  default void endpointsShareAReceiveQueue() {
    if (!found().sharedReceive()) {
      try (Pair pair = Pair.open(device(), new PairOptions())) {
        assertFails(ProviderException.Reason.UNSUPPORTED, () -> pair.a.domain().createSharedReceiveQueue(pair.a.queue(), 16));
      }
      return;
    }
    try (Pair pair = Pair.open(device(), new PairOptions().withSharedReceives())) {
      pair.connect();
      Endpoint firstLeft = pair.left();
      Endpoint firstRight = pair.right();
      pair.connect();
      assertTrue(firstRight.receiveQueue().shared());
      pair.a.send(firstLeft, Pattern.bytes(1, 30), PostFlags.SIGNALED);
      pair.a.send(pair.left(), Pattern.bytes(2, 30), PostFlags.SIGNALED);
      for (int i = 0; i < 2; i++) {
        Side.Message message = pair.message(pair.b);
        Pattern.check(message.data(), 30, message.endpoint() == firstRight ? 1 : 2);
      }
      firstLeft.close();
      firstRight.close();
      pair.a.send(pair.left(), Pattern.bytes(3, 30), PostFlags.SIGNALED);
      Pattern.check(pair.message(pair.b).data(), 30, 3);
      assertTrue(pair.b.failedSlots.isEmpty(), "closing one endpoint took receives of the other");
    }
  }

  @ContractTest
  default void sharedReceivesReturnWhenTheirQueueCloses() {
    if (!found().sharedReceive()) {
      return;
    }
    try (Pair pair = Pair.connected(device(), new PairOptions().withSharedReceives())) {
      int posted = pair.b.slotsPosted();
      pair.a.send(pair.left(), Pattern.bytes(1, 20), PostFlags.SIGNALED);
      pair.message(pair.b);
      pair.left().close();
      pair.right().close();
      pair.listener().close();
      pair.poll(100);
      assertEquals(List.of(), pair.b.failedSlots, "receives of a shared queue belong to no endpoint");
      pair.b.shared().close();
      pair.b.shared().close();
      pair.until("all receives come back", () -> pair.b.failedSlots.size() == posted);
      for (Completion slot : pair.b.failedSlots) {
        assertEquals(Status.FLUSHED, slot.status(), slot.toString());
      }
    }
  }

  @ContractTest
  default void oneRequestIdMayBeUsedManyTimes(Pair pair) {
    MemoryRegion memory = pair.a.region(10 * (pair.a.prefix() + 8L));
    for (int i = 0; i < 10; i++) {
      int at = i * (pair.a.prefix() + 8);
      pair.post(() -> pair.left().post(new WorkRequest().send(memory, at, pair.a.prefix() + 8).id(7).flags(PostFlags.SIGNALED)));
    }
    pair.until("every completion", () -> pair.a.completions.size() == 10);
    assertTrue(pair.a.completions.stream().allMatch(c -> c.requestId() == 7 && c.ok()));
  }

  @ContractTest
  default void postsOnEndpointsThatAreNotConnectedAreRefused(Pair pair) {
    Endpoint fresh = pair.a.createEndpoint();
    assertRefused(pair, fresh);
    fresh.close();
    assertRefused(pair, fresh);
    Endpoint connected = pair.a.connected.getFirst();
    connected.disconnect();
    assertRefused(pair, connected);
    connected.close();
    connected.close();
    assertRefused(pair, connected);
  }

  private static void assertRefused(Pair pair, Endpoint endpoint) {
    MemoryRegion own = pair.a.openRegion(4096);
    MemoryRegion peers = pair.b.openRegion(4096);
    var remote = pair.a.remote(peers);
    int prefix = pair.a.prefix();
    var capabilities = pair.a.domain().capabilities();
    Side.assertPost(Status.NOT_CONNECTED, endpoint, new WorkRequest().send(own, 0, prefix + 8));
    Side.assertPost(Status.NOT_CONNECTED, endpoint, new WorkRequest().write(own, 0, 8, remote, 0));
    Side.assertPost(Status.NOT_CONNECTED, endpoint, new WorkRequest().read(own, 0, 8, remote, 0));
    if (capabilities.can(Operation.WRITE_IMMEDIATE)) {
      Side.assertPost(Status.NOT_CONNECTED, endpoint, new WorkRequest().write(own, 0, 8, remote, 0).immediate(1));
    }
    if (capabilities.can(Operation.SEND_IMMEDIATE)) {
      Side.assertPost(Status.NOT_CONNECTED, endpoint, new WorkRequest().send(own, 0, prefix + 8).immediate(1));
    }
    if (capabilities.atomics()) {
      Side.assertPost(Status.NOT_CONNECTED, endpoint, new WorkRequest().fetchAdd(own, 0, remote, 0, 1));
    }
    if (endpoint.state() == EndpointState.CLOSED && !endpoint.receiveQueue().shared()) {
      assertTrue(endpoint.receiveQueue().post(1, own, 0, 64) < 0, "a receive of a closed endpoint");
    }
    assertFalse(endpoint.flush() == Status.OK, "flush of an endpoint that is not connected");
  }
}
