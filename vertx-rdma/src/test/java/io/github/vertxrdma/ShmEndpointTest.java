package io.github.vertxrdma;

class ShmEndpointTest extends EndpointContract {
  @Override
  String fabric() {
    return "shm";
  }
}
