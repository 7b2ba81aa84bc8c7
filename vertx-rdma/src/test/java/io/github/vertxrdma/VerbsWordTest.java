package io.github.vertxrdma;

import io.github.vertxrdma.nic.Nic;
import org.junit.jupiter.api.extension.ExtendWith;

/** The device's own atomics. */
@ExtendWith(VerbsInUserSpace.class)
class VerbsWordTest extends WordContract {
  @Override
  String fabric() {
    return VerbsInUserSpace.PREFIX + Nic.DEFAULT;
  }
}
