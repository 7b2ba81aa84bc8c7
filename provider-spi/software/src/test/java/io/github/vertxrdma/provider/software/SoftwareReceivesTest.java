package io.github.vertxrdma.provider.software;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class SoftwareReceivesTest {
  private final RegionTable<SoftwareRegion> table = new RegionTable<>("test", 2, SoftwareRegion::new);
  private final Completions completions = new Completions();
  private final SoftwareReceives receives = new SoftwareReceives(null, completions, table, 4, null, false);
  private final List<String> woken = new ArrayList<>();
  private final SoftwareReceives.Waiter first = () -> woken.add("first");
  private final SoftwareReceives.Waiter second = () -> woken.add("second");

  private SoftwareRegion region() {
    return table.register(Arena.ofAuto().allocate(64), EnumSet.of(Access.LOCAL_WRITE));
  }

  @Test
  void onePostWakesOneWaiter() {
    SoftwareRegion region = region();
    receives.await(first);
    receives.await(second);
    receives.await(first);
    assertEquals(Status.OK, receives.post(1, region, 0, 64));
    assertEquals(List.of("first"), woken);
    assertEquals(Status.OK, receives.post(2, region, 0, 64));
    assertEquals(Status.OK, receives.post(3, region, 0, 64));
    assertEquals(List.of("first", "second"), woken);
  }

  @Test
  void receivesKeepTheirOrderWhileTheQueueGrows() {
    SoftwareReceives many = new SoftwareReceives(null, completions, table, 100, null, false);
    SoftwareRegion region = region();
    int posted = 0;
    for (int taken = 0; taken < 300; taken++) {
      while (posted < taken + 1 + taken % 101 && many.post(posted, region, posted % 8, 8) == Status.OK) {
        posted++;
      }
      assertEquals(taken, many.requestId());
      assertEquals(taken % 8, many.offset());
      assertEquals(region, many.region());
      assertEquals(8, many.length());
      many.take(first);
    }
    while (many.post(posted, region, 0, 8) == Status.OK) {
      posted++;
    }
    assertEquals(Status.AGAIN, many.post(posted, region, 0, 8));
    many.flush();
    assertTrue(many.isEmpty());
  }

  @Test
  void receiveOfClosedWaiterGoesToTheNext() {
    receives.await(first);
    receives.await(second);
    assertEquals(Status.OK, receives.post(1, region(), 0, 64));
    receives.forget(first);
    assertEquals(List.of("first", "second"), woken);
  }

  @Test
  void waiterThatTookAReceiveIsNotWokenForAnother() {
    SoftwareRegion region = region();
    receives.await(first);
    receives.await(second);
    assertEquals(Status.OK, receives.post(1, region, 0, 64));
    receives.take(second);
    receives.await(first);
    assertEquals(Status.OK, receives.post(2, region, 0, 64));
    assertEquals(List.of("first", "first"), woken);
  }

  @Test
  void waiterThatLeftIsNotWoken() {
    receives.await(first);
    receives.await(second);
    receives.forget(first);
    assertEquals(List.of(), woken);
    assertEquals(Status.OK, receives.post(1, region(), 0, 64));
    assertEquals(List.of("second"), woken);
  }

  @Test
  void onlyOpenRegionsOfItsTableThatMayBeWrittenArePosted() {
    SoftwareRegion region = region();
    assertEquals(Status.LOCAL_RANGE, receives.post(1, region, 1, 64));
    assertEquals(Status.LOCAL_RANGE, receives.post(1, new RegionTable<>("other", 1, SoftwareRegion::new)
      .register(Arena.ofAuto().allocate(64), EnumSet.of(Access.LOCAL_WRITE)), 0, 64));
    assertEquals(Status.LOCAL_RANGE, receives.post(1, table.register(Arena.ofAuto().allocate(64), EnumSet.noneOf(Access.class)), 0, 64));
    region.close();
    assertEquals(Status.LOCAL_RANGE, receives.post(1, region, 0, 64));
    assertTrue(receives.isEmpty());
  }

  @Test
  void closeReleasesAllReceives() {
    SoftwareRegion region = region();
    for (int i = 0; i < 4; i++) {
      assertEquals(Status.OK, receives.post(i, region, 0, 64));
    }
    assertEquals(Status.AGAIN, receives.post(4, region, 0, 64));
    receives.close();
    assertEquals(Status.NOT_CONNECTED, receives.post(5, region, 0, 64));
    CompletionBatch batch = new CompletionBatch(8);
    completions.drain(batch);
    assertEquals(4, batch.size());
    assertEquals(Status.FLUSHED, batch.status(3));
  }

  @Test
  void aSlotIsUsedAgainWithAnotherSecret() {
    SoftwareRegion old = region();
    region();
    assertThrows(ProviderException.class, this::region);
    old.close();
    old.close();
    SoftwareRegion next = region();
    assertEquals(old.slot(), next.slot());
    assertEquals(null, table.find(old.slot(), old.secret()));
    assertEquals(next, table.find(next.slot(), next.secret()));
  }
}
