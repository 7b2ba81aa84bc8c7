package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.device.HeapBuffer;
import io.github.vertxrdma.impl.device.RegisteredBuffer;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Message that arrives in several segments, or whose pieces this side reads remotely. */
final class InboundMessage {
  /** Initial memory in bytes. Grows as bytes arrive, since a peer may announce more than it sends. */
  private static final int FIRST = 2 << 20;

  final int size;
  final boolean isRendezvous;
  private ByteBuf body;
  byte[] bytes;
  /** The peer's memory if the handler reads the message there; otherwise null. */
  MemorySegment view;
  /** Number of {@link #view} in ATS frames. */
  long viewName;
  /** Bytes received from the start without a gap, or read by rendezvous. */
  int received;
  /** Bytes announced from the start without a gap. */
  int announced;
  /** True if the peer has to confirm the read, see {@link StaleReadGuard}. */
  boolean wasRead;
  /** Time of the last read in nanoseconds. */
  long readAt;

  InboundMessage(int size, boolean isRendezvous) {
    this.size = size;
    this.isRendezvous = isRendezvous;
  }

  boolean isComplete() {
    return received == size;
  }

  boolean isAnnounced() {
    return announced == size;
  }

  boolean hasMemory() {
    return body != null || bytes != null || view != null;
  }

  void allocate(RegisteredBuffer memory) {
    body = memory;
    if (memory == null) {
      bytes = new byte[Math.min(size, FIRST)];
    }
  }

  RegisteredBuffer registered() {
    return (RegisteredBuffer) body;
  }

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

  ByteBuf take() {
    ByteBuf taken = body != null ? body : new HeapBuffer(bytes);
    body = null;
    bytes = null;
    return taken;
  }

  void release() {
    if (body != null) {
      body.release();
      body = null;
    }
    bytes = null;
  }
}
