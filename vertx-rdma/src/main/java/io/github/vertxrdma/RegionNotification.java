package io.github.vertxrdma;

import io.vertx.core.buffer.Buffer;
import java.util.Objects;

/**
 * Notification that a peer has written or read a range of a region.
 *
 * @param region of this process
 * @param offset in bytes
 * @param length in bytes
 * @param tag chosen by the peer
 * @param nodeId id of the peer; empty if unknown
 */
public record RegionNotification(MemoryRegion region, Kind kind, long offset, long length, long tag, String nodeId) {

  public enum Kind {
    /** The data of a {@link RemoteRegion#writeNotify} is in the memory. */
    WRITTEN,
    /** A {@link RemoteRegion#readNotify} has read the memory. The owner may reuse it. */
    READ
  }

  public RegionNotification {
    Objects.requireNonNull(nodeId);
  }

  /**
   * Copies the bytes that the range contains now. A peer may have changed them since the notification.
   *
   * @throws RdmaException CLOSED if the region is closed
   * @throws ArithmeticException if there are 2 GiB or more
   */
  public Buffer data() {
    return region.read(offset, Math.toIntExact(length));
  }
}
