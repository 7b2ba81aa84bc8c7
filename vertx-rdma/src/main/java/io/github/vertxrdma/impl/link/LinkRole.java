package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.wire.Greeting;

/**
 * Part of this side in a link.
 *
 * @param isConnector true for the side that connected
 * @param isExchanged true if the endpoints were connected by an exchange of addresses, of whose end nothing tells
 * @param service what the connector asked for, as the greeting has it
 * @param words for messages, before the peer's name: "connection to 'orders' of "
 */
public record LinkRole(boolean isConnector, boolean isExchanged, String service, String words) {

  /** Role of one that connects to a listener. */
  public static LinkRole connector(String service) {
    return new LinkRole(true, false, service, null);
  }

  /** Role of one that accepts at a listener. */
  public static LinkRole acceptor(String service) {
    return new LinkRole(false, false, service, null);
  }

  public String describe() {
    if (words != null) {
      return words;
    }
    return isConnector ? "connection to " + (service.isEmpty() ? "" : "'" + Greeting.shown(service) + "' of ") : "connection from ";
  }
}
