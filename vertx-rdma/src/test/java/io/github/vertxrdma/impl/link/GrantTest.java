package io.github.vertxrdma.impl.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How the receives of a shared queue are divided. */
class GrantTest {

  /** Links that a queue of so many receives serves, one after the other. */
  private static int links(int capacity) {
    int left = capacity;
    int links = 0;
    while (true) {
      Grant grant = Grant.of(LinkOptions.DEFAULT, left, capacity);
      assertTrue(grant.data() >= 1 && grant.control() >= Link.HANDSHAKE_CREDITS, grant.toString());
      if (grant.receives() > left) {
        return links;
      }
      left -= grant.receives();
      links++;
    }
  }

  @Test
  @Timeout(20)
  void theFirstLinksGetWhatTheOptionsSay() {
    assertEquals(Grant.of(LinkOptions.DEFAULT), Grant.of(LinkOptions.DEFAULT, 2048, 2048));
    assertEquals(Grant.of(LinkOptions.DEFAULT), Grant.of(LinkOptions.DEFAULT, 1025, 2048));
  }

  @Test
  @Timeout(20)
  void aQueueServesManyLinks() {
    assertTrue(links(1024) >= 100, () -> links(1024) + " links");
    assertTrue(links(2048) >= 200, () -> links(2048) + " links");
    assertTrue(links(8192) >= 600, () -> links(8192) + " links");
  }
}
