package io.github.vertxrdma.impl.peers;

public interface ControlListener {

  /** Called for each new connection, also one that replaces a lost connection. */
  void opened(ControlLink link);

  default void died(PeerDeath death) {
  }
}
