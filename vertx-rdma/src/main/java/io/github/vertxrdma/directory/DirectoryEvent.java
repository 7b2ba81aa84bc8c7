package io.github.vertxrdma.directory;

/**
 * A change of the directory.
 *
 * @param entry new state, or the last state before a removal
 */
public record DirectoryEvent(Type type, DirectoryEntry entry) {
  public enum Type {
    /** New, or its node has returned with another epoch. */
    ADDED,
    /** Published again with other content. */
    CHANGED,
    /** Withdrawn, or its node is no longer present. */
    REMOVED
  }
}
