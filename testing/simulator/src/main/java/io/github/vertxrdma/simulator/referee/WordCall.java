package io.github.vertxrdma.simulator.referee;

/**
 * A call of a client on a word of memory, and its answer.
 *
 * @param client the number of the caller; {@link #OWNER} for the owner of the memory
 * @param first the value to add, or the expected value
 * @param second the value that an exchange sets
 * @param called the time of the call; {@link System#nanoTime}, which processes of one Linux host share
 * @param returned the time of the answer; {@link #NEVER} if the outcome is unknown: the call took effect at any time since, or never
 * @param found the value that the call found
 */
public record WordCall(int client, Kind kind, long first, long second, long called, long returned, long found) {
  /** Client number of the owner, whose calls a revoke does not stop. */
  public static final int OWNER = 0;
  public static final long NEVER = Long.MAX_VALUE;

  public enum Kind {
    /** An addition of {@link #first}. */
    ADD,
    /** An exchange of {@link #first} for {@link #second}. */
    EXCHANGE,
    /** A plain write of {@link #first}, to a word with no other calls than writes and reads. */
    WRITE,
    /**
     * A plain read. A read of the owner finds the present value. Reads of clients are regular: two of them may find writes in different
     * orders.
     */
    READ,
    /** The revoke by the owner: no call of a client takes effect after it. */
    REVOKE
  }

  public boolean isKnown() {
    return returned != NEVER;
  }

  /** Returns whether the call must fit into one order with the calls of all clients. */
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
