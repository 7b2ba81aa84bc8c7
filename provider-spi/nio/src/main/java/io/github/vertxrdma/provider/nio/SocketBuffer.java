package io.github.vertxrdma.provider.nio;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

final class SocketBuffer {
  final ByteBuffer bytes;
  final MemorySegment memory;
  private final long address;

  SocketBuffer(int capacity) {
    bytes = ByteBuffer.allocateDirect(capacity);
    memory = MemorySegment.ofBuffer(bytes);
    address = memory.address();
  }

  SocketBuffer clear() {
    bytes.clear();
    return this;
  }

  long address() {
    return address + bytes.position();
  }
}
