package io.github.vertxrdma.simulator;

import io.github.vertxrdma.simulator.world.SeededTest;

/** Runs conversations over channels of Netty. */
class ChannelConversationTest extends SeededTest<ChannelConversation> {
  ChannelConversationTest() {
    super(ChannelConversation::new, 400, 40);
  }
}
