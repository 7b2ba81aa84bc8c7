package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import java.lang.foreign.MemorySegment;

/** Checks memory that the application passes for a region. */
public final class ApplicationMemory {
  private static final String INSTEAD = "use memory of Arena.ofShared() or Arena.ofAuto(), a mapped file, or MemorySegment.ofBuffer "
    + "of a direct buffer";

  private ApplicationMemory() {
  }

  public static void check(MemorySegment memory, RegionOptions options) {
    boolean written = options.getAccess().contains(RegionAccess.WRITE) || options.getAccess().contains(RegionAccess.ATOMIC);
    if (!memory.isNative()) {
      throw wrong("is on the Java heap, which devices cannot access: " + INSTEAD);
    }
    if (!memory.isAccessibleBy(Thread.ofPlatform().unstarted(() -> {}))) {
      throw wrong("can only be used by one thread: " + INSTEAD);
    }
    if (!memory.scope().isAlive()) {
      throw wrong("was already freed");
    }
    if (memory.byteSize() == 0 || memory.address() % Long.BYTES != 0) {
      throw wrong(
        "has " + memory.byteSize() + " bytes at address 0x" + Long.toHexString(memory.address()) + ", but needs at least 1 byte and "
          + "an address that is a multiple of " + Long.BYTES);
    }
    if (options.getFile() != null || options.getSize() != 0 && options.getSize() != memory.byteSize()) {
      throw wrong("already has a size, " + memory.byteSize() + " bytes, and content: remove size and file from the options");
    }
    if (written && memory.isReadOnly()) {
      throw wrong("is read-only, but the options let peers write it: set no other access than " + RegionAccess.READ);
    }
  }

  private static IllegalArgumentException wrong(String why) {
    return new IllegalArgumentException("the memory of a region " + why);
  }
}
