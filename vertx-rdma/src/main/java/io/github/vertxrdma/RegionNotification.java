package io.github.vertxrdma;

import java.util.Objects;

/**
 * A peer's notice about a part of a region: that it has written it, or that it has read it.
 *
 * @param kind what the peer has done
 * @param offset where the part begins, in bytes
 * @param length its bytes
 * @param tag what the peer gave along
 * @param nodeId the peer's node; empty if it did not say
 */
public record RegionNotification(Kind kind, long offset, long length, long tag, String nodeId) {

  /** Operations that owners are told of. */
  public enum Kind {
    /** {@link RemoteRegion#writeNotify}: the data is in the memory. */
    WRITTEN,
    /** {@link RemoteRegion#readNotify}: the memory may be used for something else. */
    READ
  }

  public RegionNotification {
    Objects.requireNonNull(nodeId);
  }
}
