package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.device.HeapBuffer;
import io.github.vertxrdma.impl.device.RegisteredBuffer;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.function.Supplier;

/** Message that arrives in several segments, or whose pieces this side reads remotely. */
final class InboundMessage {
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
  /** Null until memory is needed, and for small messages. */
  private LargeMessages.Claim claim;

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

  /** Claims the memory of the message. @return false if it has to wait */
  boolean admit(Supplier<LargeMessages.Claim> admission) {
    if (claim == null) {
      claim = admission.get();
    }
    return claim.isAdmitted();
  }

  /** Returns whether the message is received to its end, even if its reader has paused. */
  boolean isAdmitted() {
    return claim != null && claim.isAdmitted();
  }

  /** Returns whether the message needs an admission that it does not have. */
  boolean isWaiting() {
    return size > LargeMessages.SMALL && !isAdmitted();
  }

  /** Heap memory grows as bytes arrive, since a peer may announce more than it sends. */
  void allocate(RegisteredBuffer memory) {
    body = memory;
    if (memory == null) {
      bytes = new byte[Math.min(size, LargeMessages.SMALL)];
    }
  }

  void arrived(int length) {
    received += length;
    if (claim != null) {
      claim.arrived(length);
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

  /** Called when the handler has the message. */
  void delivered() {
    if (claim != null) {
      claim.close();
    }
  }

  void release() {
    delivered();
    if (body != null) {
      body.release();
      body = null;
    }
    bytes = null;
  }
}
