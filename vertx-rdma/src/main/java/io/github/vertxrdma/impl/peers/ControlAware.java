package io.github.vertxrdma.impl.peers;

/** A directory that uses its node's control connections. */
public interface ControlAware {

  /** Sets the connections. Called once, before {@link ControlLinks#listen}. */
  void attach(ControlLinks control);
}
