package io.github.vertxrdma;

class RxmTaggedTest extends TaggedContract {
  @Override
  String fabric() {
    return "rxm";
  }
}
