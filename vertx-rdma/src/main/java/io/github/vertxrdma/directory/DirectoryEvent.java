package io.github.vertxrdma.directory;

/** A change of the directory. @param entry its new state, or the last before its removal */
public record DirectoryEvent(Type type, DirectoryEntry entry) {
  /** Kinds of changes. */
  public enum Type {
    /** New, or its node has returned under another epoch. */
    ADDED,
    /** Published again with other content. */
    CHANGED,
    /** Withdrawn, or its node is gone. */
    REMOVED
  }
}
