package io.github.vertxrdma.differential;

/** API with which a program writes. */
enum Kind {
  PUBLISH, SEND, REQUEST, NET,
  /** The Netty channel of a socket, whose user does not wait for writes before the close. */
  CHANNEL,
  HTTP1, HTTP2,
  /** The response of a server. */
  RESPONSE1, RESPONSE2, WEBSOCKET, GRPC;

  /** Returns whether it needs a clustered Vert.x. */
  boolean isBus() {
    return this == PUBLISH || this == SEND || this == REQUEST;
  }

  /** Returns whether the reader connects to the writer. */
  boolean isDialledByReader() {
    return this == RESPONSE1 || this == RESPONSE2;
  }
}
