package io.github.vertxrdma;

/** Remote memory of all event loops goes through the one that has the endpoint. */
class OneRdmLoopRemoteMemoryTest extends RemoteMemoryContract {
  @Override
  String fabric() {
    return "memory-rdm";
  }

  @Override
  RdmaOptions options() {
    return super.options().setMaxRdmLoops(1);
  }
}
