package io.github.vertxrdma;

class NetTaggedTest extends TaggedContract {
  @Override
  String fabric() {
    return "net";
  }
}
