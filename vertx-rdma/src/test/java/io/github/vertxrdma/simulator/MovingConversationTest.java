package io.github.vertxrdma.simulator;

import io.github.vertxrdma.simulator.world.SeededTest;

class MovingConversationTest extends SeededTest<MovingConversation> {
  MovingConversationTest() {
    super(MovingConversation::new, 400, 40);
  }
}
