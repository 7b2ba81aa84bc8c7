package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.function.UnaryOperator;

/**
 * The bytes of a send or a write. They are read from the sender's memory once. Without a courier they are read when the request is posted.
 * With a courier they are read when it arrives, since the memory belongs to the fabric until then. Confined to the sender's thread if there
 * is no courier.
 */
final class Source {
  static final Source NOTHING = new Source(new byte[0]);

  private WorkRequest request;
  private byte[] bytes;

  private Source(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Creates a source that reads the bytes now. */
  static Source now(WorkRequest request) {
    Source source = new Source(null);
    source.request = request;
    source.load();
    return source;
  }

  /** Creates a source that reads the bytes later, unless the request is inline. */
  static Source later(WorkRequest request) {
    if ((request.flags() & PostFlags.INLINE) != 0) {
      return now(request);
    }
    Source source = new Source(null);
    source.request = copy(request);
    return source;
  }

  /** Returns a copy of a request, with a copy of its list. */
  static WorkRequest copy(WorkRequest request) {
    WorkRequest copy = new WorkRequest().set(request);
    return request.list() == null ? copy : copy.local(new ScatterGather(request.pieces()).set(request.list(), UnaryOperator.identity()));
  }

  boolean isLoaded() {
    return bytes != null;
  }

  /** Reads the bytes if they were not read. @return false if the operation was given up, or its memory is no longer registered */
  boolean load() {
    if (bytes == null && request != null) {
      byte[] read = new byte[(int) request.length()];
      if (OneSided.gather(request, MemorySegment.ofArray(read))) {
        bytes = read;
      }
      request = null;
    }
    return bytes != null;
  }

  byte[] bytes() {
    return bytes;
  }
}
