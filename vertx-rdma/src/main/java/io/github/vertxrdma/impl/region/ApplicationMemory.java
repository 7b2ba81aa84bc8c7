package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import java.lang.foreign.MemorySegment;

/** Checks memory that the application passes for a region. */
public final class ApplicationMemory {
  private static final String INSTEAD = "take one of Arena.ofShared() or Arena.ofAuto(), a mapped file, or MemorySegment.ofBuffer of a"
    + " direct buffer";

  private ApplicationMemory() {
  }

  /** @throws IllegalArgumentException with the reason */
  public static void check(MemorySegment memory, RegionOptions options) {
    boolean written = options.getAccess().contains(RegionAccess.WRITE) || options.getAccess().contains(RegionAccess.ATOMIC);
    if (!memory.isNative()) {
      throw wrong("lies on the heap, where no device reaches it: " + INSTEAD);
    }
    if (!memory.isAccessibleBy(Thread.ofPlatform().unstarted(() -> {}))) {
      throw wrong("can be used by one thread only: " + INSTEAD);
    }
    if (!memory.scope().isAlive()) {
      throw wrong("was freed before");
    }
    if (memory.byteSize() == 0 || memory.address() % Long.BYTES != 0) {
      throw wrong(
        "has " + memory.byteSize() + " bytes at address 0x" + Long.toHexString(memory.address()) + ": at least 1 byte, at a multiple of "
          + Long.BYTES);
    }
    if (options.getFile() != null || options.getSize() != 0 && options.getSize() != memory.byteSize()) {
      throw wrong("has its own size, " + memory.byteSize() + " bytes, and its own content: leave size and file out of the options");
    }
    if (written && memory.isReadOnly()) {
      throw wrong("is read-only, and peers may write it by the options: set no other access than " + RegionAccess.READ);
    }
  }

  private static IllegalArgumentException wrong(String why) {
    return new IllegalArgumentException("the memory of a region " + why);
  }
}
