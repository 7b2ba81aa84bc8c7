package io.github.vertxrdma.provider.rdm;

/** Types of messages. The numbers on the wire are the ordinals. */
enum MessageType {
  /** Of the user. */
  DATA,
  /** Request for a connection. */
  REQ,
  /** Reply that accepts a request. */
  REP,
  /** The application rejects. */
  REJ,
  /** There is no listener. */
  REFUSE,
  /** Ready to use. */
  RTU,
  /** The last message of a connection. */
  DREQ,
  /** Answers a message for an ended connection. */
  RESET,
  /** A write with an immediate, which has no number on the wire. */
  WRITE;

  private static final MessageType[] ALL = values();

  /** @return null for other numbers */
  static MessageType of(int number) {
    return number >= 0 && number < WRITE.ordinal() ? ALL[number] : null;
  }
}
