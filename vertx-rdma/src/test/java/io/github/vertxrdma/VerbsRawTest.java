package io.github.vertxrdma;

import io.github.vertxrdma.nic.Nic;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VerbsInUserSpace.class)
class VerbsRawTest extends RawContract {
  @Override
  String fabric() {
    return VerbsInUserSpace.PREFIX + Nic.DEFAULT;
  }

  @Override
  int keyBytes() {
    return 4;
  }
}
