package io.github.vertxrdma.provider.software;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConnectionEventsTest {
  private final ConnectionEvents events = new ConnectionEvents(new Completions());
  private int ends;

  private void endAndConnectAgain() {
    ends++;
    events.departed(this::endAndConnectAgain);
  }

  @Test
  void endThatAHandlerCausesWaitsForTheNextPoll() {
    events.departed(this::endAndConnectAgain);
    events.deliver(0);
    assertEquals(1, ends);
    assertFalse(events.isEmpty());
    events.deliver(0);
    assertEquals(2, ends);
  }
}
