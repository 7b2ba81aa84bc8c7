package io.github.vertxrdma.impl.link;

/**
 * Role of this side in a link.
 *
 * @param isExchanged true if endpoint addresses were exchanged out of band, so that no other channel reports the peer's death
 * @param service as in the greeting
 * @param words prefix in messages: "connection to 'orders' of "; null if there is a listener
 */
record LinkRole(boolean isConnector, boolean isExchanged, String service, String words) {

  public String describe() {
    if (words != null) {
      return words;
    }
    return isConnector ? "connection to " + (service.isEmpty() ? "" : "'" + Greeting.shown(service) + "' of ") : "connection from ";
  }
}
