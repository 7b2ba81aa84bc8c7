package io.github.vertxrdma.provider;

/** Hears connection requests, on the polling thread of the listener's completion queue. */
@FunctionalInterface
public interface ListenHandler {
  /** A peer wants to connect; to be answered, at once or later, by accept or reject. */
  void connectionRequest(ConnectionRequest request);
}
