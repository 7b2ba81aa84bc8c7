package io.github.vertxrdma;

import io.vertx.core.buffer.Buffer;
import java.util.Objects;

/**
 * Notification of a peer that it has written or read a part of a region.
 *
 * @param region of this process
 * @param offset in bytes
 * @param length in bytes
 * @param tag chosen by the peer
 * @param nodeId empty if unknown
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
   * Copies the bytes that the region contains now. They differ from the peer's write if a peer has written to the same place since.
   *
   * @throws RdmaException {@code CLOSED} if the region is closed
   * @throws ArithmeticException if there are 2 GiB or more
   */
  public Buffer data() {
    return region.read(offset, Math.toIntExact(length));
  }
}
