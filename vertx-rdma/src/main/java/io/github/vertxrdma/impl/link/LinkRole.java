package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.wire.Greeting;

/**
 * Part of this side in a link.
 *
 * @param isConnector true for the side that connected
 * @param isExchanged true if the endpoints were connected by an exchange of addresses, of whose end nothing tells
 * @param service what the connector asked for, as the greeting has it
 * @param words for messages, before the peer's name: "connection to 'orders' of "; null for those of a connection with a listener
 */
public record LinkRole(boolean isConnector, boolean isExchanged, String service, String words) {

  public String describe() {
    if (words != null) {
      return words;
    }
    return isConnector ? "connection to " + (service.isEmpty() ? "" : "'" + Greeting.shown(service) + "' of ") : "connection from ";
  }
}
