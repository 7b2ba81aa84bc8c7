package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;

/** The one check of offsets and lengths, of this side's calls and of what peers ask for. */
final class Range {
  private Range() {
  }

  /** Tells whether bytes lie in a region. @param align what the offset is a multiple of */
  static boolean isInside(long offset, long length, long size, int align) {
    return offset >= 0 && length >= 0 && offset <= size - length && offset % align == 0;
  }

  /** Error for bytes that do not. @param what such as "read" */
  static RdmaException error(String what, long offset, long length, long size, int align) {
    return new RdmaException(Reason.OUT_OF_RANGE, what + " of " + length + " bytes at " + offset + ": there are " + size
      + (align == 1 ? "" : ", and offsets are multiples of " + align));
  }

  /**
   * Checks that bytes lie in a region.
   *
   * @throws RdmaException {@code OUT_OF_RANGE}
   */
  static void check(String what, long offset, long length, long size, int align) {
    if (!isInside(offset, length, size, align)) {
      throw error(what, offset, length, size, align);
    }
  }
}
