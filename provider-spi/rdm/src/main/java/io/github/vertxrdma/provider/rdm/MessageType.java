package io.github.vertxrdma.provider.rdm;

/** Types of messages of a connection. The numbers on the wire are the ordinals. */
enum MessageType {
  /** A message of the user. */
  DATA,
  /** Request for a connection. */
  REQ,
  /** Reply that accepts a request. */
  REP,
  /** Rejection of a request by the application. */
  REJ,
  /** Refusal of a request, because there is no listener. */
  REFUSE,
  /** Ready to use: the reply was received. */
  RTU,
  /** Disconnect request: the last message of a connection. */
  DREQ,
  /** Answer to a message for a connection that has ended. */
  RESET,
  /** A write with an immediate, which is no message and has no number on the wire. */
  WRITE;

  private static final MessageType[] ALL = values();

  /** @return null if no message has that number */
  static MessageType of(int number) {
    return number >= 0 && number < WRITE.ordinal() ? ALL[number] : null;
  }
}
