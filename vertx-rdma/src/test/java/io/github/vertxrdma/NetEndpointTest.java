package io.github.vertxrdma;

class NetEndpointTest extends EndpointContract {
  @Override
  String fabric() {
    return "net";
  }
}
