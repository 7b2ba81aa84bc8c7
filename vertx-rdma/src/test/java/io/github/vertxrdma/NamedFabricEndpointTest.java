package io.github.vertxrdma;

@NamedFabric
class NamedFabricEndpointTest extends EndpointContract {
  @Override
  String fabric() {
    return System.getProperty(NamedFabric.PROPERTY);
  }
}
