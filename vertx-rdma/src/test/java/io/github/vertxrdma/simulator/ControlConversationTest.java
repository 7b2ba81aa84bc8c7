package io.github.vertxrdma.simulator;

import io.github.vertxrdma.simulator.world.SeededTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ControlConversationTest extends SeededTest<ControlConversation> {
  ControlConversationTest() {
    super(ControlConversation::new, 200, 20);
  }

  /**
   * A node that closes before it has sent its JOIN replaces its next run. A node that was written off uses the new connection before it is
   * notified of that. A node that was written off has opened a connection meanwhile that is unknown to its peer.
   */
  @ParameterizedTest
  @ValueSource(longs = {1889, 21_475, 36_050})
  void hasFailedBefore(long seed) {
    run(seed);
  }
}
