package io.github.vertxrdma.provider;

/** Hears connection requests, on the polling thread of the listener's completion queue. */
@FunctionalInterface
public interface ListenHandler {
  /** A peer wants to connect; to be answered, at once or later, by accept or reject. */
  void connectionRequest(ConnectionRequest request);

  /**
   * Whether all requests are answered on this thread, with endpoints of the listener's queue: a provider may then spare itself work for
   * each.
   */
  default boolean answersHere() {
    return false;
  }

  /** The same handler, which answers all requests on this thread, with endpoints of the listener's queue. */
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
