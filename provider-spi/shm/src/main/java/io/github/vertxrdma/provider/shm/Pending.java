package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.UnaryOperator;

/** A posted operation that could not be done at once; reused. */
final class Pending {
  private final WorkRequest request = new WorkRequest();
  private ScatterGather list;
  private MemorySegment inline;
  private boolean isInline;
  /** Bytes transmitted; for reads that were transmitted, bytes that came. */
  long progress;
  boolean ended;

  void set(WorkRequest posted, int flags, int inlineSize) {
    request.set(posted).flags(flags);
    progress = 0;
    ended = false;
    isInline = (flags & PostFlags.INLINE) != 0;
    if (isInline) {
      if (inline == null) {
        inline = Arena.ofAuto().allocate(Math.max(1, inlineSize));
      }
      copy(posted, 0, inline, 0, posted.length());
    }
    if (posted.list() != null) {
      list = list == null ? new ScatterGather(ShmDevice.SCATTER_GATHER) : list;
      request.local(list.set(posted.list(), UnaryOperator.identity()));
    }
  }

  WorkRequest request() {
    return request;
  }

  /** Copies a part of its payload. */
  void copy(long from, MemorySegment to, long at, long length) {
    if (isInline) {
      MemorySegment.copy(inline, from, to, at, length);
    } else {
      copy(request, from, to, at, length);
    }
  }

  /** Copies a part of a request's payload. */
  static void copy(WorkRequest request, long from, MemorySegment to, long at, long length) {
    long skip = from;
    long done = 0;
    for (int i = 0; done < length; i++) {
      long n = Math.min(request.pieceLength(i) - skip, length - done);
      if (n > 0) {
        MemorySegment.copy(request.pieceRegion(i).segment(), request.pieceOffset(i) + skip, to, at + done, n);
        done += n;
        skip = 0;
      } else {
        skip -= request.pieceLength(i);
      }
    }
  }

  /** Forgets the memory it names. */
  void clear() {
    request.clear();
    if (list != null) {
      list.clear();
    }
  }
}
