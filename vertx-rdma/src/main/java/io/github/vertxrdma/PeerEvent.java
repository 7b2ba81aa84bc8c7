package io.github.vertxrdma;

/**
 * Event of a node of the group that became reachable or unreachable.
 *
 * @param name of the node for people; may be empty
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
