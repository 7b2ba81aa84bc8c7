package io.github.vertxrdma;

class TcpEndpointTest extends EndpointContract {
  @Override
  String fabric() {
    return "tcp";
  }
}
