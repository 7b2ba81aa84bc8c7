package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;
import java.lang.foreign.MemorySegment;

/** Reads completions and errors of a native completion queue; fi_cq(3). */
final class NativeQueue {
  static final int AT_ONCE = 64;
  /** Bit in the context of a send without a completion. It shows that the context is a number, not an address. */
  static final long SILENT = Long.MIN_VALUE;

  final Fid fid;
  private final MemorySegment read;
  private final MemorySegment readError;
  private final QueueErrors words;
  final long entries = Memory.allocate((long) AT_ONCE * Structs.CQ_ENTRY);
  private final long error = Memory.allocate(Structs.ROOM);

  NativeQueue(FabricDomain domain, int size, boolean wait) {
    try {
      Libfabric library = domain.library;
      fid = domain.openCompletionQueue(size, wait);
      read = MemorySegment.ofAddress(fid.require(library, Structs.CQ_OPS, Structs.CQ_READ, "fi_cq_read"));
      readError = MemorySegment.ofAddress(fid.require(library, Structs.CQ_OPS, Structs.CQ_READERR, "fi_cq_readerr"));
      words = new QueueErrors(library, fid, fid.function(Structs.CQ_OPS, Structs.CQ_STRERROR));
    } catch (RuntimeException e) {
      free();
      throw e;
    }
  }

  /** Reads at most {@link #AT_ONCE} completions; 0 only makes progress. Returns the number of completions, or a negative error number. */
  long read(int want) {
    return Calls.plain(read, fid.address(), entries, want);
  }

  /** Reads an error, which the following methods describe. Returns false if there is none. */
  boolean readError() {
    Memory.fill(error, Structs.ROOM, (byte) 0);
    return Calls.plain(readError, fid.address(), error, 0) > 0;
  }

  long errorContext() {
    return Memory.getLong(error + Structs.CQ_ERR_CONTEXT);
  }

  int errno() {
    return Math.abs(Memory.getInt(error + Structs.CQ_ERR_ERR));
  }

  long errorLength() {
    return Memory.getLong(error + Structs.CQ_ERR_LEN);
  }

  String errorWords(Operation operation, Endpoint endpoint) {
    return operation + (endpoint == null ? "" : " with " + endpoint.remoteAddress()) + ": "
      + words.of(errno(), Memory.getInt(error + Structs.CQ_ERR_PROV_ERRNO), Memory.getLong(error + Structs.CQ_ERR_DATA));
  }

  void close() {
    fid.close();
    free();
  }

  private void free() {
    Memory.free(entries);
    Memory.free(error);
  }
}
