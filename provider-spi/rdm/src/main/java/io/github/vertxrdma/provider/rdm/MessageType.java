package io.github.vertxrdma.provider.rdm;

/** Types of messages. The ordinal is the number on the wire. */
enum MessageType {
  DATA,
  /** Request for a connection. */
  REQ,
  /** Reply that accepts a request. */
  REP,
  /** Reply of an application that rejects the request. */
  REJ,
  /** Reply that there is no listener, or no common version. */
  REFUSE,
  /** Ready to use: the connector's answer to REP. */
  RTU,
  /** The last message of a connection. */
  DREQ,
  /** Answer to a message for an ended connection. */
  RESET;

  private static final MessageType[] ALL = values();

  static MessageType of(int number) {
    return number >= 0 && number < ALL.length ? ALL[number] : null;
  }
}
