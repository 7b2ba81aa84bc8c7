package io.github.vertxrdma;

/**
 * Appearance or disappearance of a node of the group.
 *
 * @param name for people; may be empty
 * @param pid 0 if unknown
 */
public record PeerEvent(Type type, String nodeId, String name, String host, long pid) {
  public enum Type {
    /** The node became reachable. */
    UP,
    /** The node left, died, or was silent for too long. */
    DOWN
  }
}
