package io.github.vertxrdma;

import java.util.Objects;

/**
 * Notification of a peer that it has written or read a part of a region.
 *
 * @param kind operation of the peer
 * @param offset of the part, in bytes
 * @param length in bytes
 * @param tag given by the peer
 * @param nodeId the peer's node; empty if unknown
 */
public record RegionNotification(Kind kind, long offset, long length, long tag, String nodeId) {

  /** Operations with notifications. */
  public enum Kind {
    /** {@link RemoteRegion#writeNotify}: the data is in the memory. */
    WRITTEN,
    /** {@link RemoteRegion#readNotify}: the memory may be reused. */
    READ
  }

  public RegionNotification {
    Objects.requireNonNull(nodeId);
  }
}
