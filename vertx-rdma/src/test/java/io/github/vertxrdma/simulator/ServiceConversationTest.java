package io.github.vertxrdma.simulator;

import io.github.vertxrdma.simulator.world.SeededTest;

class ServiceConversationTest extends SeededTest<ServiceConversation> {
  ServiceConversationTest() {
    super(ServiceConversation::new, 150, 20);
  }
}
