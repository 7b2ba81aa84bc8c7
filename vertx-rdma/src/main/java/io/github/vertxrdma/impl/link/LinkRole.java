package io.github.vertxrdma.impl.link;

/**
 * Role of this side in a link.
 *
 * @param isExchanged true if endpoint addresses were exchanged out of band, so that no other channel reports the peer's death
 * @param service as in {@link Greeting}
 * @param words start of messages for exchanged addresses, such as "connection with n2, "; otherwise null
 */
record LinkRole(boolean isConnector, boolean isExchanged, String service, String words) {

  public String describe() {
    if (words != null) {
      return words;
    }
    return isConnector ? "connection to " + (service.isEmpty() ? "" : "'" + Greeting.shown(service) + "' of ") : "connection from ";
  }
}
