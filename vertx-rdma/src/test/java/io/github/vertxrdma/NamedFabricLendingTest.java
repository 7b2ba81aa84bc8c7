package io.github.vertxrdma;

@NamedFabric
class NamedFabricLendingTest extends LendingContract {
  @Override
  String fabric() {
    return System.getProperty(NamedFabric.PROPERTY);
  }
}
