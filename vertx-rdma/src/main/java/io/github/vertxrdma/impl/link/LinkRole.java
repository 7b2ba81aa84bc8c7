package io.github.vertxrdma.impl.link;

/**
 * Role of this side in a link.
 *
 * @param service as in {@link Greeting}
 * @param exchangedPeer name of the peer if the nodes exchanged endpoint addresses, so that no connection manager reports the peer's end;
 * otherwise null
 */
record LinkRole(boolean isConnector, String service, String exchangedPeer) {
  boolean isExchanged() {
    return exchangedPeer != null;
  }

  String describe() {
    if (exchangedPeer != null) {
      return "connection with " + exchangedPeer + ", ";
    }
    return isConnector ? "connection to " + (service.isEmpty() ? "" : "'" + Greeting.shown(service) + "' of ") : "connection from ";
  }
}
