package io.github.vertxrdma;

@NamedFabric
class NamedFabricZeroCopyTest extends ZeroCopyContract {
  @Override
  String fabric() {
    return System.getProperty(NamedFabric.PROPERTY);
  }
}
