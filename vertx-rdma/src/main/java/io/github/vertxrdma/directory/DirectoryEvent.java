package io.github.vertxrdma.directory;

/**
 * Something changed in the directory.
 *
 * @param type what happened
 * @param entry the entry as it is now, or was before it went
 */
public record DirectoryEvent(Type type, DirectoryEntry entry) {
  /** The change of an entry. */
  public enum Type {
    /** It is new, or its node has come back under another epoch. */
    ADDED,
    /** Its node published it anew with other content. */
    CHANGED,
    /** It was withdrawn, or its node is gone. */
    REMOVED
  }
}
