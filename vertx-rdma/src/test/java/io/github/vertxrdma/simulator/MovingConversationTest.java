package io.github.vertxrdma.simulator;

import io.github.vertxrdma.simulator.world.SeededTest;

/** Runs conversations over channels that move from TCP to the fabric. */
class MovingConversationTest extends SeededTest<MovingConversation> {
  MovingConversationTest() {
    super(MovingConversation::new, 400, 40);
  }
}
