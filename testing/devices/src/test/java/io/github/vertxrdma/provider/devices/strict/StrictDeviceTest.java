package io.github.vertxrdma.provider.devices.strict;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Pattern;
import io.github.vertxrdma.provider.contract.Side;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StrictDeviceTest {
  private final StrictDevice device = StrictDevice
    .over(InMemoryFabric.create("rules", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS).device());

  @Test
  void aSendThatChangesTooEarlyIsAViolation() {
    try (Pair pair = Pair.connected(device)) {
      MemoryRegion memory = pair.a.region(100);
      assertEquals(Status.OK, pair.left().post(new WorkRequest().send(memory, 0, 100).id(7).flags(PostFlags.SIGNALED)));
      memory.segment().set(ValueLayout.JAVA_BYTE, 50, (byte) 1);
      pair.success(pair.a, 7);
      assertTrue(device.violations().getFirst().startsWith("the memory of SEND 7 changed before its completion"));
    }
  }

  @Test
  void anotherThreadIsAViolation() throws InterruptedException {
    try (Pair pair = Pair.connected(device)) {
      MemoryRegion memory = pair.a.region(100, Access.LOCAL_WRITE);
      Thread thread = new Thread(() -> {
        pair.left().receiveQueue().post(9, memory, 0, 100);
        pair.left().flush();
        pair.left().disconnect();
        pair.a.queue().poll(new CompletionBatch(1));
      }, "another");
      thread.start();
      thread.join();
      List<String> here = device.violations().stream().filter(violation -> violation.contains(" on thread another;"))
        .map(violation -> violation.substring(0, violation.indexOf(" on thread"))).toList();
      assertTrue(here.containsAll(List.of("post of a receive", "flush", "disconnect", "poll")), here.toString());
    }
  }

  @Test
  void moreWorkThanTheCompletionQueueHoldsIsAViolation() {
    try (Pair pair = Pair.connected(device, new PairOptions().withSlots(4, 100).withQueueDepth(6))) {
      for (int i = 0; i < 3; i++) {
        pair.a.send(pair.left(), new byte[10], PostFlags.SIGNALED);
      }
      assertTrue(device.violations().getFirst().startsWith("7 work requests and receives are outstanding on a completion queue of 6"));
    }
  }

  @Test
  void receivesAndReadSinksAreOverwritten() {
    try (Pair pair = Pair.connected(device)) {
      MemoryRegion memory = pair.a.region(200, Access.LOCAL_WRITE);
      assertEquals(Status.OK, pair.left().receiveQueue().post(9, memory, 100, 50));
      assertEquals(StrictReceives.POISON, memory.segment().get(ValueLayout.JAVA_BYTE, 149));
      assertEquals(0, memory.segment().get(ValueLayout.JAVA_BYTE, 150));
      assertEquals(Status.LOCAL_RANGE, pair.left().receiveQueue().post(9, memory, 190, 50));
      assertEquals(0, memory.segment().get(ValueLayout.JAVA_BYTE, 195));
    }
  }

  @Test
  void aPlainWriteCompletesBeforeItIsThereAndComesBeforeTheNextMessage() {
    try (Pair pair = Pair.connected(device)) {
      MemoryRegion mine = pair.a.openRegion(100);
      MemoryRegion theirs = pair.b.openRegion(100);
      Pattern.fill(mine.segment(), 0, 100, 3);
      assertEquals(Status.OK, pair.left().post(
        new WorkRequest().write(mine, 0, 100, pair.a.remote(theirs), 0).id(5).flags(PostFlags.SIGNALED)));
      pair.a.poll();
      assertTrue(pair.a.completion(5).ok());
      assertNotEquals(-1, Pattern.mismatch(theirs.segment(), 0, 100, 3));
      mine.segment().fill((byte) 0);
      pair.a.send(pair.left(), new byte[1], PostFlags.SIGNALED);
      pair.message(pair.b);
      Pattern.check(theirs.segment(), 0, 100, 3);
    }
  }

  @Test
  void aMessageWithoutAReceiveBreaksTheConnection() {
    try (Pair pair = Pair.connected(device, new PairOptions().withSlots(2, 100))) {
      for (int i = 0; i < 3; i++) {
        pair.a.send(pair.left(), new byte[10], PostFlags.SIGNALED);
      }
      pair.until("both hear", () -> !pair.a.disconnected.isEmpty() && !pair.b.disconnected.isEmpty());
      assertTrue(pair.left().failure().getMessage().contains("no receive posted"));
    }
  }

  @Test
  void unsignalledWorkComesBackFlushed() {
    try (Pair pair = Pair.connected(device)) {
      MemoryRegion memory = pair.a.region(100);
      assertEquals(Status.OK, pair.left().post(new WorkRequest().send(memory, 0, 10).id(1)));
      pair.message(pair.b);
      for (int i = 0; i < 10; i++) {
        pair.poll();
      }
      pair.left().disconnect();
      pair.until("the flush", () -> pair.a.completion(1) != null);
      assertEquals(Status.FLUSHED, pair.a.completion(1).status());
    }
  }

  @Test
  void aForgedKeyBreaksTheConnection() {
    try (Pair pair = Pair.connected(device)) {
      MemoryRegion mine = pair.a.openRegion(100);
      RemoteMemory forged = pair.a.domain().remoteMemory(0, 100, new byte[] {1, 2, 3, 4});
      assertEquals(Status.OK, pair.left().post(new WorkRequest().read(mine, 0, 100, forged, 0).id(1).flags(PostFlags.SIGNALED)));
      assertEquals(Status.REMOTE_ACCESS, pair.completion(pair.a, 1).status());
      pair.until("broken", () -> !pair.a.disconnected.isEmpty() && !pair.b.disconnected.isEmpty());
    }
  }

  @Test
  void budgetsAreNamed() {
    StrictDevice small = StrictDevice.over(InMemoryFabric.create("small", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS).device(),
      "small", new StrictOptions(2, 10_000, 4, 4, 64, 1));
    try (Pair pair = Pair.open(small, new PairOptions().withSlots(0, 0))) {
      pair.a.region(9000);
      ProviderException tooMuch = assertThrows(ProviderException.class, () -> pair.a.region(2000));
      assertEquals(ProviderException.Reason.LIMIT, tooMuch.reason());
      assertTrue(tooMuch.getMessage().contains("errno 12; 9000 of 10000 bytes are pinned"));
      pair.a.region(500).close();
      pair.a.region(500);
      ProviderException tooMany = assertThrows(ProviderException.class, () -> pair.a.region(10));
      assertTrue(tooMany.getMessage().contains("at most 2"), tooMany.getMessage());
      assertEquals(List.of(), small.violations());
    }
  }

  @Test
  void requestIdsLikeTheWrappersOwnAreReported() {
    try (Pair pair = Pair.connected(device)) {
      MemoryRegion memory = pair.a.region(100);
      long id = 0x57a1_c700_0000_0000L;
      assertEquals(Status.OK, pair.left().post(new WorkRequest().send(memory, 0, 10).id(id).flags(PostFlags.SIGNALED)));
      pair.success(pair.a, id);
      long unusual = Side.nextId();
      assertEquals(Status.OK, pair.left().post(new WorkRequest().send(memory, 0, 10).id(unusual).flags(PostFlags.SIGNALED)));
      pair.success(pair.a, unusual);
    }
  }
}
