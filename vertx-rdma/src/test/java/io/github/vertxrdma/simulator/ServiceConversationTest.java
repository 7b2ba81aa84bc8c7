package io.github.vertxrdma.simulator;

import io.github.vertxrdma.simulator.world.SeededTest;

/** Runs conversations of services and their clients. */
class ServiceConversationTest extends SeededTest<ServiceConversation> {
  ServiceConversationTest() {
    super(ServiceConversation::new, 150, 20);
  }
}
