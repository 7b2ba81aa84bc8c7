package io.github.vertxrdma;

import java.util.Objects;

/**
 * Notification of a peer that it has written or read a part of a region.
 *
 * @param offset in bytes
 * @param length in bytes
 * @param tag chosen by the peer
 * @param nodeId empty if unknown
 */
public record RegionNotification(Kind kind, long offset, long length, long tag, String nodeId) {

  public enum Kind {
    /** The data of a {@link RemoteRegion#writeNotify} is in the memory. */
    WRITTEN,
    /** A {@link RemoteRegion#readNotify} is done. The memory may be reused. */
    READ
  }

  public RegionNotification {
    Objects.requireNonNull(nodeId);
  }
}
