package io.github.vertxrdma.impl.control;

/** Hears of control connections, on the control loop. */
public interface ControlListener {

  /** A connection stands; also one that was made anew after a cut. */
  void opened(ControlLink link);

  /** A peer is gone. */
  void died(PeerDeath death);
}
