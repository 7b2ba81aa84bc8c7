package io.github.vertxrdma;

/** The endpoints of a connectionless fabric on one event loop: all others hop. */
class OneRdmLoopBusServiceTest extends BusServiceContract {
  @Override
  String fabric() {
    return "net";
  }

  @Override
  RdmaOptions options() {
    return super.options().setMaxRdmLoops(1);
  }
}
