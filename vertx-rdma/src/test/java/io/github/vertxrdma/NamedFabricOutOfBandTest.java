package io.github.vertxrdma;

@NamedFabric
class NamedFabricOutOfBandTest extends OutOfBandContract {
  @Override
  String fabric() {
    return System.getProperty(NamedFabric.PROPERTY);
  }
}
