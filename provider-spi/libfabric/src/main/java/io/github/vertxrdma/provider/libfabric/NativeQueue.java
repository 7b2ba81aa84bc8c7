package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;
import java.lang.foreign.MemorySegment;

/** Queue of completions or events of the library; fi_cq(3), fi_eq(3). */
abstract class NativeQueue {
  private static final int TEXT = 256;

  final Libfabric library;
  final Fid fid;
  final MemorySegment read;
  private final MemorySegment readError;
  private final long strerror;
  /** Memory of an error entry. */
  final long error;
  /** Memory of the entries that a read returns. */
  final long entries;

  /**
   * Uses the functions at these offsets of the queue's table {@code ops}, and allocates {@code size} bytes for entries. Closes the queue if
   * a function is missing or there is no memory.
   */
  NativeQueue(Libfabric library, Fid fid, String prefix, int size, int ops, int read, int readError, int strerror) {
    this.library = library;
    this.fid = fid;
    try {
      this.read = MemorySegment.ofAddress(fid.require(library, ops, read, prefix + "read"));
      this.readError = MemorySegment.ofAddress(fid.require(library, ops, readError, prefix + "readerr"));
      error = Memory.allocate(Structs.ROOM + size);
    } catch (RuntimeException | OutOfMemoryError e) {
      fid.close();
      throw e;
    }
    this.strerror = fid.function(ops, strerror);
    entries = error + Structs.ROOM;
  }

  /** Reads an error entry. Returns false if there is none. */
  final boolean readError() {
    Memory.fill(error, Structs.ROOM, (byte) 0);
    return Calls.plain(readError, fid.address(), error, 0) > 0;
  }

  /** Describes an error with libfabric's text, and adds the provider's text if that says more. */
  final String describe(int errno, int providerErrno, long data) {
    String words = library.describe(errno);
    if (strerror == 0 || providerErrno == 0) {
      return words;
    }
    try (Scratch text = Scratch.of(TEXT)) {
      String more = Memory.getString(Calls.pointer(strerror, fid.address(), providerErrno, data, text.address(), TEXT));
      return more == null || more.isBlank() || words.contains(more.strip()) ? words : words + " (" + more.strip() + ")";
    }
  }

  /** Closes the native queue and frees its memory. */
  final void destroy() {
    fid.close();
    Memory.free(error);
  }
}
