package io.github.vertxrdma;

import java.util.Objects;

/**
 * A peer's notice about a part of a region: that it has written it, or that it has read it.
 *
 * @param offset where the part begins, in bytes
 * @param length its bytes
 * @param tag what the peer gave along
 * @param nodeId the peer's node; empty if it did not say
 */
public record Notification(long offset, long length, long tag, String nodeId) {

  public Notification {
    Objects.requireNonNull(nodeId);
  }
}
