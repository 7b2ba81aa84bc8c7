package io.github.vertxrdma.simulator;

import io.github.vertxrdma.simulator.world.SeededTest;

class ConnectionConversationTest extends SeededTest<ConnectionConversation> {
  ConnectionConversationTest() {
    super(ConnectionConversation::new, FULL ? 500 : 200, FULL ? 40 : 10);
  }
}
