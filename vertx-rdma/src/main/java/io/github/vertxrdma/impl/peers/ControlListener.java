package io.github.vertxrdma.impl.peers;

public interface ControlListener {

  /** Called also when a connection is made again after a cut. */
  void opened(ControlLink link);

  void died(PeerDeath death);
}
