package io.github.vertxrdma;

@NamedFabric
class NamedFabricRemoteMemoryTest extends RemoteMemoryContract {
  @Override
  String fabric() {
    return System.getProperty(NamedFabric.PROPERTY);
  }
}
