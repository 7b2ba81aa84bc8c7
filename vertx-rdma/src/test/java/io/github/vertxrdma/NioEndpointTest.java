package io.github.vertxrdma;

class NioEndpointTest extends EndpointContract {
  @Override
  String fabric() {
    return "nio";
  }
}
