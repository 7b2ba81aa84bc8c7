package io.github.vertxrdma;

@NamedFabric
class NamedFabricBusServiceTest extends BusServiceContract {
  @Override
  String fabric() {
    return System.getProperty(NamedFabric.PROPERTY);
  }
}
