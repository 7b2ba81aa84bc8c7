package io.github.vertxrdma;

import org.junit.jupiter.api.Tag;

@Tag("long")
class RxmZeroCopyTest extends ZeroCopyContract {
  @Override
  String fabric() {
    return "rxm";
  }
}
