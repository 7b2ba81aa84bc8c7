package io.github.vertxrdma;

class MemoryEndpointTest extends EndpointContract {
  @Override
  String fabric() {
    return "memory";
  }

  @Override
  boolean leavesTheProcess() {
    return false;
  }
}
