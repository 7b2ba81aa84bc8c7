package io.github.vertxrdma.simulator;

/** Conversations of applications on connections. */
class ConnectionConversationTest extends SeededTest<ConnectionConversation> {
  ConnectionConversationTest() {
    super(ConnectionConversation::new, 500, 40);
  }
}
