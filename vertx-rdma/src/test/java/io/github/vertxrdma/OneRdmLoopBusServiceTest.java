package io.github.vertxrdma;

/** Runs the contract with the connectionless endpoints on one event loop, which the other loops call. */
class OneRdmLoopBusServiceTest extends BusServiceContract {
  @Override
  String fabric() {
    return "rxm";
  }

  @Override
  RdmaOptions options() {
    return super.options().setMaxRdmLoops(1);
  }
}
