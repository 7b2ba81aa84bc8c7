package io.github.vertxrdma;

/** Connections of all event loops go through the one that has the endpoint. */
class OneRdmLoopZeroCopyTest extends ZeroCopyContract {
  @Override
  String fabric() {
    return "memory-rdm";
  }

  @Override
  RdmaOptions options() {
    return super.options().setMaxRdmLoops(1);
  }
}
