package io.github.vertxrdma;

@NamedFabric
class NamedFabricConnectionTest extends ConnectionContract {
  @Override
  String fabric() {
    return System.getProperty(NamedFabric.PROPERTY);
  }
}
