package io.github.vertxrdma.impl.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Division of a shared queue's receives. */
class GrantTest {

  /** Returns the number of links that a queue of this many receives serves, one after the other. */
  private static int links(int capacity) {
    int granted = 0;
    int links = 0;
    while (true) {
      Grant grant = Grant.of(LoopOptions.DEFAULT, granted, capacity);
      assertTrue(grant.data() >= 1 && grant.control() >= Grant.HANDSHAKE_CREDITS, grant.toString());
      if (grant.receives() > capacity - granted) {
        return links;
      }
      granted += grant.receives();
      links++;
    }
  }

  @Test
  @Timeout(60)
  void theFirstLinksGetWhatTheOptionsSay() {
    assertEquals(Grant.of(LoopOptions.DEFAULT), Grant.of(LoopOptions.DEFAULT, 0, 2048));
    assertEquals(Grant.of(LoopOptions.DEFAULT), Grant.of(LoopOptions.DEFAULT, 256 - LoopOptions.DEFAULT.receives(), 2048));
  }

  @Test
  @Timeout(60)
  void whatThereIsRoomForIsOfBothKinds() {
    Grant wanted = new Grant(65_533, 65_531);
    for (int room : new int[] {1, 2, 3, 26, 4096, wanted.receives() - 1}) {
      Grant part = wanted.within(room);
      assertEquals(room, part.receives());
      assertTrue(part.data() >= room / 2 && part.data() <= wanted.data() && part.control() <= wanted.control(), part.toString());
    }
    assertEquals(wanted, wanted.within(wanted.receives()));
    assertEquals(new Grant(3, 0), new Grant(8, 0).within(3));
  }

  @Test
  @Timeout(60)
  void aQueueServesManyLinks() {
    assertTrue(links(1024) >= 150, () -> links(1024) + " links");
    assertTrue(links(2048) >= 300, () -> links(2048) + " links");
    assertTrue(links(8192) >= 1200, () -> links(8192) + " links");
  }
}
