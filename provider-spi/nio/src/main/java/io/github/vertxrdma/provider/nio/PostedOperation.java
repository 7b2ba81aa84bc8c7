package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import io.github.vertxrdma.provider.software.SoftwareRemoteMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * An operation in a {@link SendQueue}, with its own copy of what was asked for; it is used again by any endpoint of its completion queue.
 */
final class PostedOperation {
  /** Room that it begins with: for elements, and for the bytes of an inline operation. */
  private static final int ELEMENTS = 4;
  private static final int INLINE = 128;

  private SoftwareRegion[] regions = new SoftwareRegion[ELEMENTS];
  private long[] offsets = new long[ELEMENTS];
  private long[] lengths = new long[ELEMENTS];
  /** The bytes of an inline operation. */
  MemorySegment inline = MemorySegment.ofArray(new byte[INLINE]);
  Operation operation;
  long requestId;
  long operand;
  long swap;
  int slot;
  long secret;
  long remoteOffset;
  /** Elements of its list; 0 if its bytes are inline (or there are none). */
  int count;
  long total;
  /** Sends: where in the output stream they end. Reads and atomics: bytes still missing. */
  long progress;
  private int flags;

  void set(WorkRequest request, int postFlags) {
    requestId = request.id();
    operation = request.operation();
    operand = operation.hasImmediate() ? request.immediate() : request.operand();
    swap = request.swap();
    flags = postFlags;
    count = 0;
    total = 0;
    progress = 0;
    boolean copies = (flags & PostFlags.INLINE) != 0;
    for (int i = 0; i < request.pieces(); i++) {
      SoftwareRegion region = (SoftwareRegion) request.pieceRegion(i);
      if (region != null && copies) {
        inline(region, request.pieceOffset(i), request.pieceLength(i));
      } else if (region != null) {
        element(region, request.pieceOffset(i), request.pieceLength(i));
      }
    }
    if (request.remote() instanceof SoftwareRemoteMemory memory) {
      slot = memory.slot();
      secret = memory.secret();
      remoteOffset = memory.base() + request.remoteOffset();
    }
  }

  private void element(SoftwareRegion region, long offset, long length) {
    if (count == regions.length) {
      regions = Arrays.copyOf(regions, 2 * count);
      offsets = Arrays.copyOf(offsets, 2 * count);
      lengths = Arrays.copyOf(lengths, 2 * count);
    }
    regions[count] = region;
    offsets[count] = offset;
    lengths[count++] = length;
    total += length;
  }

  /** Copies the bytes of an inline operation. */
  private void inline(SoftwareRegion region, long offset, long length) {
    if (inline.byteSize() < total + length) {
      inline = MemorySegment.ofArray(new byte[(int) (2 * (total + length))]).copyFrom(inline.asSlice(0, total));
    }
    MemorySegment.copy(region.segment(), offset, inline, total, length);
    total += length;
  }

  boolean isSignaled() {
    return (flags & PostFlags.SIGNALED) != 0;
  }

  boolean isFenced() {
    return (flags & PostFlags.FENCE) != 0;
  }

  int immediate() {
    return (int) operand;
  }

  SoftwareRegion region(int element) {
    return regions[element];
  }

  long offset(int element) {
    return offsets[element];
  }

  long length(int element) {
    return lengths[element];
  }

  /** Keeps no region longer than it is needed. */
  void clear() {
    for (int element = 0; element < count; element++) {
      regions[element] = null;
    }
  }
}
