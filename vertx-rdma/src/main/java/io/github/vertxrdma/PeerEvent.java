package io.github.vertxrdma;

/** A node of the group appeared or disappeared. @param name for people; may be empty @param pid process on that host; 0 if unknown */
public record PeerEvent(Type type, String nodeId, String name, String host, long pid) {
  public enum Type {
    /** The node is reachable from now on. */
    UP,
    /** The node left, died, or was silent for too long. */
    DOWN
  }
}
