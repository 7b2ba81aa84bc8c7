package io.github.vertxrdma.directory;

/**
 * A change of the directory.
 *
 * @param entry new state, or the last state before a removal
 */
public record DirectoryEvent(Type type, DirectoryEntry entry) {
  public enum Type {
    /** The entry is new, or its node has returned with another epoch. */
    ADDED,
    /** The entry was published again with other content. */
    CHANGED,
    /** The entry was withdrawn, or its node is no longer present. */
    REMOVED
  }
}
