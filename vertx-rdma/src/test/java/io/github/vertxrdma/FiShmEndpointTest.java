package io.github.vertxrdma;

class FiShmEndpointTest extends EndpointContract {
  @Override
  String fabric() {
    return "fi-shm";
  }
}
