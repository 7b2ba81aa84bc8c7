package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;

final class Range {
  private Range() {
  }

  static boolean isInside(long offset, long length, long size, int align) {
    return offset >= 0 && length >= 0 && offset <= size - length && offset % align == 0;
  }

  static RdmaException error(String what, long offset, long length, long size, int align) {
    return new RdmaException(Reason.OUT_OF_RANGE, what + " of " + length + " bytes at offset " + offset + ": the region has "
      + size + " bytes" + (align == 1 ? "" : ", and the offset must be a multiple of " + align));
  }

  static void check(String what, long offset, long length, long size, int align) {
    if (!isInside(offset, length, size, align)) {
      throw error(what, offset, length, size, align);
    }
  }
}
