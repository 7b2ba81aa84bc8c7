package io.github.vertxrdma.impl.api;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;

final class HeapMemory {
  private HeapMemory() {
  }

  /** Bytes on the heap stay valid while queued. Other memory must be copied. */
  static boolean holds(ByteBuf bytes) {
    if (!(bytes instanceof CompositeByteBuf parts)) {
      return bytes.hasArray();
    }
    for (int i = 0; i < parts.numComponents(); i++) {
      if (!parts.internalComponent(i).hasArray()) {
        return false;
      }
    }
    return true;
  }
}
