package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaOptions;

/** Channels of all event loops go through the one that has the endpoint. */
class NetOverOneRdmLoopTest extends NetOverFabricTest {
  @Override
  RdmaOptions options() {
    return super.options().setFabric("memory-rdm").setMaxRdmLoops(1);
  }
}
