package io.github.vertxrdma;

class NioTaggedTest extends TaggedContract {
  @Override
  String fabric() {
    return "nio";
  }
}
