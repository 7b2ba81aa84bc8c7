package io.github.vertxrdma.impl.message;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Copy of the latest frame of short messages whose reader views them, in memory that the next frame takes again. Slices are kept, since
 * messages mostly have the sizes of those before them: one costs no object then. A link has its own, so that a view that was kept shows
 * nothing of another's. Confined to the loop.
 */
final class ViewedFrame {
  /** A power of two; messages of 64 bytes in a frame of the default size are fewer. */
  private static final int SLICES = 256;

  private final MemorySegment[] slices = new MemorySegment[SLICES];
  /** As long as the longest frame. */
  private byte[] bytes = {};
  /** The same, read-only. */
  private MemorySegment memory = readOnly(bytes);
  private int messages;

  private static MemorySegment readOnly(byte[] bytes) {
    return MemorySegment.ofArray(bytes).asReadOnly();
  }

  /** Takes the payload of a frame. */
  void copy(MemorySegment from, long at, int size) {
    if (size > bytes.length) {
      bytes = new byte[size];
      memory = readOnly(bytes);
      Arrays.fill(slices, null);
    }
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at, bytes, 0, size);
    messages = 0;
  }

  /** Its next message, read-only. @param at offset in the payload */
  MemorySegment next(long at, int length) {
    // Messages of one size in a frame, and those of sizes that are near each other in frames of their own, have different places.
    int place = messages++ + length & SLICES - 1;
    MemorySegment slice = slices[place];
    if (slice == null || slice.address() != at || slice.byteSize() != length) {
      slice = memory.asSlice(at, length);
      slices[place] = slice;
    }
    return slice;
  }
}
