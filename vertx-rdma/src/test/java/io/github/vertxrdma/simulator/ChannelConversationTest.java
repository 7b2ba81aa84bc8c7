package io.github.vertxrdma.simulator;

import io.github.vertxrdma.simulator.world.SeededTest;

class ChannelConversationTest extends SeededTest<ChannelConversation> {
  ChannelConversationTest() {
    super(ChannelConversation::new, 400, 40);
  }
}
