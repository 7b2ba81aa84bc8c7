package io.github.vertxrdma.impl.link;

/** The part of a link's beginning that differs between connector and acceptor. Called on the loop. */
interface LinkSetup {

  boolean isConnector();

  /** What the connector wants of the acceptor; on the accepting side empty until it has said so. */
  String service();

  /** {@code "connection to "} or {@code "connection from "}. */
  String describe();

  int timeoutMillis();

  /** What this side tells. */
  Greeting greeting(byte[] data, byte[] proof);

  /** The endpoint is connected. @return the greeting to send, null on the accepting side */
  Greeting connected(byte[] privateData);

  /** The acceptor got the connector's greeting: verify it, then welcome or refuse. */
  void greeted(Link link, Greeting greeting);

  /** It is open. */
  void opened(Link link);

  /** It never opened. */
  void failed(Throwable cause);
}
