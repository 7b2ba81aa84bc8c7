package io.github.vertxrdma.impl.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class AdaptivePolicyTest {

  @Test
  void halfOfSeveralProcessorsPollAndTheOneThatAProcessWasGiven() {
    assertEquals(4, AdaptivePolicy.mayPoll(8, 8));
    assertEquals(1, AdaptivePolicy.mayPoll(2, 2));
    assertEquals(1, AdaptivePolicy.mayPoll(1, 2));
    assertEquals(0, AdaptivePolicy.mayPoll(1, 1));
  }

  @Test
  void readsLinuxListsOfProcessors() {
    assertEquals(1, Processors.count("0\n"));
    assertEquals(2, Processors.count("0-1\n"));
    assertEquals(7, Processors.count("0-3,8,10-11"));
    assertTrue(Processors.online() >= 1);
  }
}
