package io.github.vertxrdma;

@NamedFabric
class NamedFabricTaggedTest extends TaggedContract {
  @Override
  String fabric() {
    return System.getProperty(NamedFabric.PROPERTY);
  }
}
