package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaOptions;

class NetOverOneRdmLoopTest extends NetOverFabricTest {
  @Override
  RdmaOptions options() {
    return super.options().setFabric("memory-rdm").setMaxRdmLoops(1);
  }
}
