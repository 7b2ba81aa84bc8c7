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

  /** Uses the functions at these offsets of the queue's table {@code ops}. Closes the queue if one of them is missing. */
  NativeQueue(Libfabric library, Fid fid, int ops, int read, int readError, int strerror) {
    this.library = library;
    this.fid = fid;
    try {
      this.read = MemorySegment.ofAddress(fid.require(library, ops, read, "reading a queue"));
      this.readError = MemorySegment.ofAddress(fid.require(library, ops, readError, "reading errors of a queue"));
    } catch (RuntimeException e) {
      fid.close();
      throw e;
    }
    this.strerror = fid.function(ops, strerror);
    error = Memory.allocate(Structs.ROOM);
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
