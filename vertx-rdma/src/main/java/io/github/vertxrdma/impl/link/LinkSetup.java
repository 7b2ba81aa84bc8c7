package io.github.vertxrdma.impl.link;

/** The part of a link's beginning that differs between connector and acceptor. Called on the loop. */
interface LinkSetup {

  boolean isConnector();

  /** What the connector wants of the acceptor; on the accepting side empty until it has said so. */
  String service();

  /** {@code "connection to "} or {@code "connection from "}. */
  default String describe() {
    return isConnector() ? "connection to " + (service().isEmpty() ? "" : "'" + service() + "' of ") : "connection from ";
  }

  int timeoutMillis();

  /**
   * Whether the two endpoints were connected by an exchange of addresses: then no request and no accept carried private data, so frames do,
   * and nothing tells of the other's end.
   */
  default boolean isExchanged() {
    return false;
  }

  /** The connector's request, to be sent in a frame; of exchanged links only. */
  default byte[] request() {
    throw new IllegalStateException("the fabric carries the request");
  }

  /** The acceptor's answer to it; of exchanged links only. */
  default byte[] accept(byte[] request) {
    throw new IllegalStateException("the fabric carries the request");
  }

  /** What this side tells. */
  Greeting greeting(byte[] data, byte[] proof);

  /** The endpoint is connected, or the acceptor's answer has come in a frame. @return the greeting to send, null on the accepting side */
  Greeting connected(byte[] privateData);

  /** The acceptor got the connector's greeting: verify it, then welcome or refuse. */
  void greeted(Link link, Greeting greeting);

  /** It is open. */
  void opened(Link link);

  /** It never opened. */
  void failed(Throwable cause);
}
