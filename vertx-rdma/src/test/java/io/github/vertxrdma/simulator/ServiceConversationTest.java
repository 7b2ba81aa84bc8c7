package io.github.vertxrdma.simulator;

/** Conversations of services and their clients. */
class ServiceConversationTest extends SeededTest<ServiceConversation> {
  ServiceConversationTest() {
    super(ServiceConversation::new, 150, 20);
  }
}
