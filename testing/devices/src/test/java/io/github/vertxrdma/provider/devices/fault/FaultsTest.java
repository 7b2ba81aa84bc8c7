package io.github.vertxrdma.provider.devices.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FaultsTest {
  private final FaultyDevice device = FaultyDevice
    .over(InMemoryFabric.create("faults", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS).device(), 3);
  private final Faults faults = device.faults();

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
