package io.github.vertxrdma.impl.message;

import io.github.vertxrdma.impl.memory.HeapBuffer;
import io.github.vertxrdma.impl.memory.RegisteredBuffer;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** A message that comes in pieces, some of which may still be to come. */
final class InboundMessage {
  /** Bytes that a message in segments gets at once; a longer one grows with what came, so that an announcement alone costs little. */
  private static final int FIRST = 2 << 20;

  final int size;
  /** Tells whether its bytes are read from the peer's memory. */
  final boolean isRendezvous;
  private ByteBuf body;
  private byte[] bytes;
  /** Memory of the peer's that it is read in, and the name of its piece; null for memory of its own. */
  private MemorySegment view;
  private long viewName;
  /** Bytes that came, from the start without a gap, or for rendezvous those that were read. */
  private int received;
  /** Bytes named or received, from the start without a gap. */
  private int announced;
  /** Some of it was read from memory that may become another's, the last of it at that time. */
  boolean wasRead;
  long readAt;

  InboundMessage(int size, boolean isRendezvous) {
    this.size = size;
    this.isRendezvous = isRendezvous;
  }

  boolean isWhole() {
    return received == size;
  }

  /** Tells whether all of it was named or came. */
  boolean isAnnounced() {
    return announced == size;
  }

  /** Offset of the next piece. */
  int announced() {
    return announced;
  }

  /** Counts a piece that was named. */
  void announce(int length) {
    announced += length;
  }

  /** Tells whether it has memory, its own or the peer's. */
  boolean hasMemory() {
    return body != null || bytes != null || view != null;
  }

  /** Bytes of the heap that it takes. */
  int heapBytes() {
    return bytes == null ? 0 : bytes.length;
  }

  /** Gives it its first memory, registered or of the heap. @param memory null for the heap */
  void allocate(RegisteredBuffer memory) {
    body = memory;
    if (memory == null) {
      bytes = new byte[isRendezvous ? size : Math.min(size, FIRST)];
    }
  }

  /** Leaves it where it lies, until its reader is done. @param memory read-only @param name of its only piece */
  void leave(MemorySegment memory, long name) {
    view = memory;
    viewName = name;
  }

  /** Memory of the peer's that it lies in, read-only; null if it has its own. */
  MemorySegment view() {
    return view;
  }

  /** Forgets where it lies. @return the name of its piece */
  long forget() {
    view = null;
    return viewName;
  }

  /** Registered memory that it is read into; null for the heap. */
  RegisteredBuffer registered() {
    return (RegisteredBuffer) body;
  }

  /** Puts a piece where it belongs. */
  void put(MemorySegment from, long at, int offset, int length) {
    if (body != null) {
      MemorySegment.copy(from, at, registered().region().segment(), registered().offset() + offset, length);
      return;
    }
    if (offset + length > bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.min(size, Math.max(4L * bytes.length, (long) offset + length)));
    }
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at, bytes, offset, length);
  }

  /** Counts bytes that came. */
  void received(int length) {
    received += length;
  }

  /** Takes the body out, for its reader. */
  ByteBuf take() {
    ByteBuf taken = body != null ? body : new HeapBuffer(bytes);
    body = null;
    bytes = null;
    return taken;
  }

  /** Frees it unread. */
  void release() {
    if (body != null) {
      body.release();
      body = null;
    }
    bytes = null;
  }
}
