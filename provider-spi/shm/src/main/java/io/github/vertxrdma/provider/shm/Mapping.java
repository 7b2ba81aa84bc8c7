package io.github.vertxrdma.provider.shm;

import java.lang.foreign.MemorySegment;

/** A peer's file in the memory of this process. @param memory not used after {@link #unmap} */
record Mapping(MemorySegment memory) {

  void unmap() {
    SystemCalls.unmap(memory.address(), memory.byteSize());
  }
}
