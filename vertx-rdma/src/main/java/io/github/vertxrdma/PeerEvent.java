package io.github.vertxrdma;

/**
 * A node of the group came or went.
 *
 * @param type whether it is there
 * @param nodeId its id
 * @param name its name for people; empty if it is not known
 * @param host its host
 * @param pid its process on that host; 0 if it is not known
 */
public record PeerEvent(Type type, String nodeId, String name, String host, long pid) {
  /** Changes of a peer. */
  public enum Type {
    /** It can be reached from now on. */
    UP,
    /** It left, died, or was not heard of for too long. */
    DOWN
  }
}
