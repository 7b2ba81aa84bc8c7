package io.github.vertxrdma.provider.nio;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

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

  /** Buffers that endpoints of a completion queue reuse. */
  static final class Pool {
    private final int capacity;
    private final ArrayDeque<SocketBuffer> unused = new ArrayDeque<>();

    Pool(int capacity) {
      this.capacity = capacity;
    }

    SocketBuffer take() {
      SocketBuffer buffer = unused.poll();
      return buffer == null ? new SocketBuffer(capacity) : buffer;
    }

    void giveBack(SocketBuffer buffer) {
      unused.push(buffer.clear());
    }
  }

  long address() {
    return address + bytes.position();
  }
}
