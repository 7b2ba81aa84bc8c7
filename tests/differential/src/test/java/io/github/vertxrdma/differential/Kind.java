package io.github.vertxrdma.differential;

/** API with which a program writes. */
enum Kind {
  PUBLISH, SEND, REQUEST,
  /** A request whose answer is an exception of the application's class. */
  REFUSAL, NET,
  /** A socket. Before its close the program provokes failures of servers and clients. */
  FAILURES,
  /** The Netty channel of a socket, which programs close without waiting for writes. */
  CHANNEL,
  HTTP1, HTTP2,
  /** The response of a server. */
  RESPONSE1, RESPONSE2, WEBSOCKET, GRPC;

  /** Returns whether the kind needs a clustered Vert.x. */
  boolean isBus() {
    return this == PUBLISH || this == SEND || this == REQUEST || this == REFUSAL;
  }

  /** Returns whether the reader connects to the writer. */
  boolean isDialledByReader() {
    return this == RESPONSE1 || this == RESPONSE2;
  }
}
