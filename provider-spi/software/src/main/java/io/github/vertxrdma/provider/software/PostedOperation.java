package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.UnaryOperator;

/** Copy of a posted request, with its progress. Reusable. */
public class PostedOperation {
  private final WorkRequest request = new WorkRequest();
  private ScatterGather list;
  private MemorySegment inline;
  private boolean isInline;
  private long progress;
  private boolean ended;

  public final void set(WorkRequest posted, int flags, int inlineSize) {
    request.set(posted).flags(flags);
    progress = 0;
    ended = false;
    isInline = (flags & PostFlags.INLINE) != 0;
    if (isInline) {
      if (inline == null || inline.byteSize() < inlineSize) {
        inline = Arena.ofAuto().allocate(Math.max(1, inlineSize));
      }
      copy(posted, 0, inline, 0, posted.length());
    }
    if (posted.list() != null) {
      list = list == null ? new ScatterGather(SoftwareDevice.SCATTER_GATHER) : list;
      request.local(list.set(posted.list(), UnaryOperator.identity()));
    }
  }

  public final WorkRequest request() {
    return request;
  }

  public final boolean isInline() {
    return isInline;
  }

  public final boolean isSignaled() {
    return (request.flags() & PostFlags.SIGNALED) != 0;
  }

  public final boolean mustWait(int readsOutstanding, int readsInFlight) {
    return request.operation().isRead() && readsOutstanding >= readsInFlight
      || (request.flags() & PostFlags.FENCE) != 0 && readsOutstanding > 0;
  }

  public final long progress() {
    return progress;
  }

  public final void progress(long reached) {
    progress = reached;
  }

  public final void end() {
    ended = true;
  }

  public final boolean isEnded() {
    return ended;
  }

  public final void copy(long from, MemorySegment to, long at, long length) {
    if (isInline) {
      MemorySegment.copy(inline, from, to, at, length);
    } else {
      copy(request, from, to, at, length);
    }
  }

  public static void copy(WorkRequest request, long from, MemorySegment to, long at, long length) {
    long skip = from;
    long done = 0;
    for (int i = 0; done < length; i++) {
      long n = Math.min(request.pieceLength(i) - skip, length - done);
      if (n > 0) {
        ((SoftwareRegion) request.pieceRegion(i)).get(request.pieceOffset(i) + skip, to, at + done, n);
        done += n;
        skip = 0;
      } else {
        skip -= request.pieceLength(i);
      }
    }
  }

  public final void clear() {
    request.clear();
    if (list != null) {
      list.clear();
    }
  }
}
