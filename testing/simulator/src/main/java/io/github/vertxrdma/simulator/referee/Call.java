package io.github.vertxrdma.simulator.referee;

/**
 * A call of a client on a word of memory, and its answer.
 *
 * @param client who called; {@link #OWNER} for the owner of the memory
 * @param first what is added, or expected
 * @param second what an exchange sets
 * @param called {@link System#nanoTime}, which processes of one Linux host share
 * @param returned when it was answered; {@link #NEVER} if its outcome is unknown: it took effect at any time since, or never
 * @param found the value that it found
 */
public record Call(int client, Kind kind, long first, long second, long called, long returned, long found) {
  /** The owner is not bound by a revoke. */
  public static final int OWNER = 0;
  /** The time of an answer that did not come. */
  public static final long NEVER = Long.MAX_VALUE;

  /** Kinds of calls. */
  public enum Kind {
    /** An addition of {@link #first}. */
    ADD,
    /** An exchange of {@link #first} for {@link #second}. */
    EXCHANGE,
    /** A plain write of {@link #first}, of a word that nothing else is done to but reads. */
    WRITE,
    /** A plain read: the owner's finds what is there; a client's is regular, so that two of them need not agree on the order of others. */
    READ,
    /** The revoke by the owner: no call of a client takes effect after it. */
    REVOKE
  }

  /** Returns whether the outcome is known. */
  public boolean isKnown() {
    return returned != NEVER;
  }

  /** Whether all such calls have one order. */
  boolean isOrdered() {
    return kind != Kind.READ || client == OWNER;
  }

  @Override
  public String toString() {
    String asked = switch (kind) {
      case ADD -> "adds " + first;
      case EXCHANGE -> "exchanges " + first + " for " + second;
      case WRITE -> "writes " + first;
      case READ -> "reads";
      case REVOKE -> "revokes";
    };
    return (client == OWNER ? "the owner " : "client " + client + " ") + asked + (!isKnown() ? " with an unknown outcome"
      : kind == Kind.REVOKE || kind == Kind.WRITE ? "" : " and finds " + found) + " [" + called + ", " + (isKnown() ? returned : "…") + "]";
  }
}
