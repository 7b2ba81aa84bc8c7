package io.github.vertxrdma.differential;

/** What a program writes with. */
enum Kind {
  PUBLISH, SEND, REQUEST, NET, HTTP1, HTTP2, WEBSOCKET, GRPC;

  /** Returns whether it needs a clustered Vert.x. */
  boolean isBus() {
    return this == PUBLISH || this == SEND || this == REQUEST;
  }
}
