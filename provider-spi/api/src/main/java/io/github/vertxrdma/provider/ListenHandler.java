package io.github.vertxrdma.provider;

/** Handler of a listener, called on its polling thread. */
@FunctionalInterface
public interface ListenHandler {
  /** Called for a connection request. Accept or reject it now or later. */
  void connectionRequest(ConnectionRequest request);

  /** Returns whether this handler answers all requests on the polling thread, with endpoints of the listener's queue. */
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
