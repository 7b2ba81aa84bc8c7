package io.github.vertxrdma.simulator.referee;

/**
 * A call of a client on one word of memory, and its result.
 *
 * @param client number of the caller; {@link #OWNER} for the owner of the memory
 * @param first value to add or write, or expected value of an exchange
 * @param second value that an exchange sets
 * @param called {@link System#nanoTime} of the call, which processes of one Linux host share
 * @param returned time of the return. {@link #NEVER} if the outcome is unknown: the call took effect at any time since {@code called}, or
 * never
 * @param found value that the call found in the word
 */
public record WordCall(int client, Kind kind, long first, long second, long called, long returned, long found) {
  /** Client number of the owner, whose calls a revoke does not stop. */
  public static final int OWNER = 0;
  public static final long NEVER = Long.MAX_VALUE;

  public enum Kind {
    ADD,
    EXCHANGE,
    /** A plain write. Only plain reads and writes may access the same word. */
    WRITE,
    /** A plain read. The owner always finds the present value. Reads of clients may find writes in different orders. */
    READ,
    /** The revoke by the owner. No call of a client takes effect after it. */
    REVOKE
  }

  public boolean isKnown() {
    return returned != NEVER;
  }

  /** Returns whether the call belongs into one order with the calls of all clients. */
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
