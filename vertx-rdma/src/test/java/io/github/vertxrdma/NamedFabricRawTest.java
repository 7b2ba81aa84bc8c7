package io.github.vertxrdma;

@NamedFabric
class NamedFabricRawTest extends RawContract {
  @Override
  String fabric() {
    return System.getProperty(NamedFabric.PROPERTY);
  }

  @Override
  int keyBytes() {
    return 4;
  }
}
