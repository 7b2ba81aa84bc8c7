package io.github.vertxrdma.provider;

/** Handler that is called on the listener's polling thread. */
@FunctionalInterface
public interface ListenHandler {
  /** Called when a peer requests a connection, which is accepted or rejected now or later. */
  void connectionRequest(ConnectionRequest request);

  /** Returns whether all requests are answered on this thread, with endpoints of the listener's queue. */
  default boolean answersHere() {
    return false;
  }

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
