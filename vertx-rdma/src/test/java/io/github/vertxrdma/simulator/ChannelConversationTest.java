package io.github.vertxrdma.simulator;

/** Conversations over channels of Netty. */
class ChannelConversationTest extends SeededTest<ChannelConversation> {
  ChannelConversationTest() {
    super(ChannelConversation::new, 400, 40);
  }
}
