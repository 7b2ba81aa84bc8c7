package io.github.vertxrdma.provider;

/** Handler of connection requests, called on the polling thread of the listener's completion queue. */
@FunctionalInterface
public interface ListenHandler {
  /** Called when a peer requests a connection. The request has to be answered, at once or later, by accept or reject. */
  void connectionRequest(ConnectionRequest request);

  /**
   * Returns whether all requests are answered on this thread, with endpoints of the listener's queue, which may save a provider work for
   * each.
   */
  default boolean answersHere() {
    return false;
  }

  /** Returns the same handler, which answers all requests on this thread, with endpoints of the listener's queue. */
  static ListenHandler here(ListenHandler handler) {
    return new ListenHandler() {
      @Override
      public void connectionRequest(ConnectionRequest request) {
        handler.connectionRequest(request);
      }

      @Override
      public boolean answersHere() {
        return true;
      }
    };
  }
}
