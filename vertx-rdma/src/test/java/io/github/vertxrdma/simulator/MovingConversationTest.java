package io.github.vertxrdma.simulator;

import io.github.vertxrdma.simulator.world.SeededTest;

class MovingConversationTest extends SeededTest<MovingConversation> {
  MovingConversationTest() {
    super(MovingConversation::new, FULL ? 400 : 150, FULL ? 40 : 10);
  }
}
