package io.github.vertxrdma.simulator;

import io.github.vertxrdma.simulator.world.SeededTest;

class ChannelConversationTest extends SeededTest<ChannelConversation> {
  ChannelConversationTest() {
    super(ChannelConversation::new, FULL ? 400 : 150, FULL ? 40 : 10);
  }
}
