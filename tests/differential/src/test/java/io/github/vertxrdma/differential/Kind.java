package io.github.vertxrdma.differential;

/** API with which a program writes. */
enum Kind {
  PUBLISH, SEND, REQUEST, NET,
  /** The Netty channel of a socket, which its user closes without waiting for its writes. */
  CHANNEL,
  HTTP1, HTTP2,
  /** The response of a server. */
  RESPONSE1, RESPONSE2, WEBSOCKET, GRPC;

  /** Returns whether it needs a clustered Vert.x. */
  boolean isBus() {
    return this == PUBLISH || this == SEND || this == REQUEST;
  }

  /** Returns whether the program that reads connects to the one that writes. */
  boolean isDialledByReader() {
    return this == RESPONSE1 || this == RESPONSE2;
  }
}
