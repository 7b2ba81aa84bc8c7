package io.github.vertxrdma.impl.transport;

/** Channels of all event loops go through the one that has the endpoint. */
class NetOverOneRdmLoopTest extends NetOverFabricTest {
  @Override
  String fabric() {
    return "\"fabric\":\"memory-rdm\",\"maxRdmLoops\":1";
  }
}
