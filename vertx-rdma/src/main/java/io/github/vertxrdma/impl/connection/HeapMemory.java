package io.github.vertxrdma.impl.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;

/** Tells memory of the heap, which stays while it waits to be sent, from other memory, which its owner may take back. */
final class HeapMemory {
  private HeapMemory() {
  }

  /** Whether all of the bytes lie there. */
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
