package io.github.vertxrdma.impl.link;

/**
 * Role of this side in a link.
 *
 * @param isExchanged true if the nodes exchanged endpoint addresses, so that no connection manager reports the peer's end
 * @param service as in {@link Greeting}
 * @param words start of messages if {@code isExchanged}, such as "connection with n2, "; otherwise null
 */
record LinkRole(boolean isConnector, boolean isExchanged, String service, String words) {

  public String describe() {
    if (words != null) {
      return words;
    }
    return isConnector ? "connection to " + (service.isEmpty() ? "" : "'" + Greeting.shown(service) + "' of ") : "connection from ";
  }
}
