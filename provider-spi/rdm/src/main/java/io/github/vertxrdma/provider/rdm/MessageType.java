package io.github.vertxrdma.provider.rdm;

/** Types of messages for a connection. The numbers on the wire are the ordinals. */
enum MessageType {
  /** A message of the user's. */
  DATA,
  /** Request of a connection. */
  REQ,
  /** Reply to a request: it is accepted. */
  REP,
  /** Rejection of a request by the application. */
  REJ,
  /** Refusal of a request: nobody listens. */
  REFUSE,
  /** Ready to use: the reply was received. */
  RTU,
  /** Disconnect request: the last message of a connection. */
  DREQ,
  /** Note that the connection that a message was for is over. */
  RESET,
  /** A write with an immediate, which is no message and has no number on the wire. */
  WRITE;

  private static final MessageType[] ALL = values();

  /** @return null if no message has that number */
  static MessageType of(int number) {
    return number >= 0 && number < WRITE.ordinal() ? ALL[number] : null;
  }
}
