package io.github.vertxrdma;

import io.github.vertxrdma.nic.Nic;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VerbsInUserSpace.class)
class VerbsAllocationTest extends AllocationContract {
  @Override
  String fabric() {
    return VerbsInUserSpace.PREFIX + Nic.DEFAULT;
  }
}
