package io.github.vertxrdma.impl.peers;

public interface ControlListener {

  /** Called for each new connection, also one that replaces a lost connection. */
  void opened(ControlLink link);

  /** Called when a peer has ended or cannot be reached, once for each of its epochs. */
  default void died(PeerDeath death) {
  }
}
