package io.github.vertxrdma;

class RxmEndpointTest extends EndpointContract {
  @Override
  String fabric() {
    return "rxm";
  }
}
