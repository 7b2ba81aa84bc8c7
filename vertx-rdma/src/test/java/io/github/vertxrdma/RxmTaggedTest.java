package io.github.vertxrdma;

import org.junit.jupiter.api.Tag;

@Tag("long")
class RxmTaggedTest extends TaggedContract {
  @Override
  String fabric() {
    return "rxm";
  }
}
