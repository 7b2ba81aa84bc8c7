package io.github.vertxrdma.simulator;

import io.github.vertxrdma.simulator.world.SeededTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Conversations about control connections. */
class ControlConversationTest extends SeededTest<ControlConversation> {
  ControlConversationTest() {
    super(ControlConversation::new, 200, 20);
  }

  /**
   * A node that closes while its JOIN is due takes the place of its next run; who was written off uses the new connection before it hears
   * of that; who was written off made a connection meanwhile that its peer knows nothing of.
   */
  @ParameterizedTest
  @ValueSource(longs = {1889, 21_475, 36_050})
  void hasFailedBefore(long seed) {
    run(seed);
  }
}
