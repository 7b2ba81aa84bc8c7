package io.github.vertxrdma.impl.link;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Copy of the latest frame of viewed messages, in reused memory. Slices are cached, since successive frames mostly have equal sizes. Each
 * link has its own, so that a view kept too long shows no other link's data. Confined to the loop.
 */
final class ViewedFrame {
  /** Power of two, above the number of 64-byte messages in a default frame. */
  private static final int SLICES = 256;

  private final MemorySegment[] slices = new MemorySegment[SLICES];
  private byte[] bytes = {};
  private MemorySegment memory = readOnly(bytes);
  private int messages;

  private static MemorySegment readOnly(byte[] bytes) {
    return MemorySegment.ofArray(bytes).asReadOnly();
  }

  void copy(MemorySegment from, long at, int size) {
    if (size > bytes.length) {
      bytes = new byte[size];
      memory = readOnly(bytes);
      Arrays.fill(slices, null);
    }
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at, bytes, 0, size);
    messages = 0;
  }

  MemorySegment next(long at, int length) {
    // Spreads equal sizes in one frame, and similar sizes of single-message frames, over different entries.
    int place = messages++ + length & SLICES - 1;
    MemorySegment slice = slices[place];
    if (slice == null || slice.address() != at || slice.byteSize() != length) {
      slice = memory.asSlice(at, length);
      slices[place] = slice;
    }
    return slice;
  }
}
