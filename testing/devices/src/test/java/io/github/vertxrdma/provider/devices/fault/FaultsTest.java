package io.github.vertxrdma.provider.devices.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Pattern;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FaultsTest {
  private final FaultyDevice device = FaultyDevice
    .over(InMemoryFabric.create("faults", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS).device(), 3);
  private final Faults faults = device.faults();

  @Test
  void aDroppedCompletionStaysOutstanding() {
    try (Pair pair = Pair.connected(device)) {
      faults.dropCompletions(Operation.SEND, 1);
      long lost = pair.a.send(pair.left(), new byte[1], PostFlags.SIGNALED);
      long told = pair.a.send(pair.left(), new byte[1], PostFlags.SIGNALED);
      pair.success(pair.a, told);
      assertNull(pair.a.completion(lost));
      assertEquals(1, pair.left().outstanding());
      assertEquals(1, faults.injected().get("dropped"));
      pair.left().close();
      assertEquals(0, pair.left().outstanding());
    }
  }

  @Test
  void aFailedCompletionBreaksTheConnection() {
    try (Pair pair = Pair.connected(device)) {
      faults.failCompletions(Operation.READ, 1, Status.RETRY_EXCEEDED);
      MemoryRegion mine = pair.a.openRegion(64);
      MemoryRegion theirs = pair.b.openRegion(64);
      assertEquals(Status.OK, pair.left().post(
        new WorkRequest().read(mine, 0, 8, pair.a.remote(theirs), 0).id(1).flags(PostFlags.SIGNALED)));
      assertEquals(Status.RETRY_EXCEEDED, pair.completion(pair.a, 1).status());
      pair.until("both hear", () -> !pair.a.disconnected.isEmpty() && !pair.b.disconnected.isEmpty());
      assertTrue(pair.a.cause.getMessage().contains("RETRY_EXCEEDED"));
      assertThrows(IllegalArgumentException.class, () -> faults.failCompletions(Operation.READ, 1, Status.OK));
    }
  }

  @Test
  void registrationsAndPostsAreRefused() {
    try (Pair pair = Pair.connected(device)) {
      MemoryRegion memory = pair.a.region(64);
      faults.refuseRegistrations(2);
      for (int i = 0; i < 2; i++) {
        assertEquals(ProviderException.Reason.LIMIT, assertThrows(ProviderException.class, () -> pair.a.region(64)).reason());
      }
      pair.a.region(64);
      faults.refusePosts(1);
      assertEquals(Status.AGAIN, pair.left().post(new WorkRequest().send(memory, 0, 8).id(1).flags(PostFlags.SIGNALED)));
      assertEquals(Status.OK, pair.left().post(new WorkRequest().send(memory, 0, 8).id(1).flags(PostFlags.SIGNALED)));
      pair.success(pair.a, 1);
      faults.refusePosts(5).calm();
      assertEquals(Status.OK, pair.left().post(new WorkRequest().send(memory, 0, 8).id(2).flags(PostFlags.SIGNALED)));
    }
  }

  @Test
  void swallowedReceivesAreMissing() {
    faults.swallowReceives(1);
    try (Pair pair = Pair.connected(device, new PairOptions().withSlots(1, 100))) {
      pair.b.send(pair.right(), Pattern.bytes(1, 10), PostFlags.SIGNALED);
      pair.success(pair.a, pair.a.send(pair.left(), Pattern.bytes(2, 10), PostFlags.SIGNALED));
      pair.message(pair.b);
      assertTrue(pair.a.messages.isEmpty());
      assertEquals(1, pair.right().outstanding());
    }
  }

  @Test
  void silentPeerNeitherSendsNorReceives() {
    try (Pair pair = Pair.connected(device)) {
      faults.silence(pair.left());
      pair.b.send(pair.right(), new byte[1], PostFlags.SIGNALED);
      long lost = pair.a.send(pair.left(), new byte[1], PostFlags.SIGNALED);
      pair.right().disconnect();
      pair.until("the other end is over", () -> !pair.b.disconnected.isEmpty());
      for (int i = 0; i < 100; i++) {
        pair.poll();
      }
      assertTrue(pair.a.messages.isEmpty() && pair.a.disconnected.isEmpty());
      assertEquals(EndpointState.CONNECTED, pair.left().state());
      assertEquals(Status.OK, pair.left().post(new WorkRequest().send(pair.a.region(64), 0, 8).id(5).flags(PostFlags.SIGNALED)));
      assertTrue(pair.left().outstanding() >= 1);
      pair.left().peerDead("a heartbeat is missing");
      pair.until("heard at last", () -> pair.a.disconnected.size() == 1);
      assertEquals(EndpointState.BROKEN, pair.left().state());
      assertTrue(pair.left().failure().getMessage().contains("heartbeat"));
      assertEquals(Status.NOT_CONNECTED, pair.left().post(new WorkRequest().send(pair.a.region(64), 0, 8).id(6).flags(PostFlags.SIGNALED)));
      assertTrue(pair.a.completion(lost) == null || !pair.a.completion(lost).ok());
    }
  }

  @Test
  void delaysAreRepeatedByTheSeed() {
    String[] runs = new String[2];
    for (int run = 0; run < 2; run++) {
      FaultyDevice again = FaultyDevice.over(
        InMemoryFabric.create("seeded", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS).device(), 99);
      again.faults().delayCompletions(0.5, 4);
      StringBuilder order = new StringBuilder();
      try (Pair pair = Pair.connected(again)) {
        for (int i = 0; i < 30; i++) {
          pair.a.send(pair.left(), new byte[1], PostFlags.SIGNALED);
          pair.poll();
          order.append(pair.a.completions.size()).append(' ').append(pair.b.messages.size()).append(',');
          if (i % 8 == 7) {
            pair.until("room", () -> pair.left().outstanding() == 0);
          }
        }
      }
      runs[run] = order.toString();
      assertTrue(again.faults().injected().get("delayed") > 5, again.faults().toString());
    }
    assertEquals(runs[0], runs[1]);
  }
}
