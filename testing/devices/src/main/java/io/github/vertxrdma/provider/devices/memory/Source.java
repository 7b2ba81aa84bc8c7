package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.function.UnaryOperator;

/**
 * Bytes of a send or a write, read from the sender's memory once: when it is posted, or, where a courier carries it, as late as when it
 * arrives, since they belong to the fabric until then. Confined to the sender's thread where there is no courier.
 */
final class Source {
  static final Source NOTHING = new Source(new byte[0]);

  private WorkRequest request;
  private byte[] bytes;

  private Source(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Reads it now. */
  static Source now(WorkRequest request) {
    Source source = new Source(null);
    source.request = request;
    source.load();
    return source;
  }

  /** Reads it later, unless it is inline. */
  static Source later(WorkRequest request) {
    if ((request.flags() & PostFlags.INLINE) != 0) {
      return now(request);
    }
    Source source = new Source(null);
    source.request = copy(request);
    return source;
  }

  /** A request of its own, with a list of its own. */
  static WorkRequest copy(WorkRequest request) {
    WorkRequest copy = new WorkRequest().set(request);
    return request.list() == null ? copy : copy.local(new ScatterGather(request.pieces()).set(request.list(), UnaryOperator.identity()));
  }

  boolean isLoaded() {
    return bytes != null;
  }

  /** Reads it if that is still to be done. @return false if it was given up, or the memory is not registered any more */
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
