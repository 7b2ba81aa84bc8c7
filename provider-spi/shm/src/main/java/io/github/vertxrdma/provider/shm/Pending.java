package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

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
      keep(posted.list());
    }
  }

  private void keep(ScatterGather posted) {
    if (list == null) {
      list = new ScatterGather(ShmDevice.SCATTER_GATHER);
    }
    list.clear();
    for (int i = 0; i < posted.size(); i++) {
      list.add(posted.region(i), posted.offset(i), posted.length(i));
    }
    request.local(list);
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
    if (length == 0) {
      return;
    }
    ScatterGather list = request.list();
    if (list == null) {
      MemorySegment.copy(request.region().segment(), request.offset() + from, to, at, length);
      return;
    }
    long skip = from;
    long done = 0;
    for (int i = 0; i < list.size() && done < length; i++) {
      long n = Math.min(list.length(i) - skip, length - done);
      if (n > 0) {
        MemorySegment.copy(list.region(i).segment(), list.offset(i) + skip, to, at + done, n);
        done += n;
        skip = 0;
      } else {
        skip -= list.length(i);
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
