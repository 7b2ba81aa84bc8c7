package io.github.vertxrdma.directory;

/**
 * Change of the directory.
 *
 * @param entry new state, or the last state before a removal
 */
public record DirectoryEvent(Type type, DirectoryEntry entry) {
  public enum Type {
    /** The entry is new. If its node has returned with another epoch, the earlier entry was {@link #REMOVED} before. */
    ADDED,
    /** The entry was published again with other content. */
    CHANGED,
    /** The entry was withdrawn, or its node is no longer present. */
    REMOVED
  }
}
