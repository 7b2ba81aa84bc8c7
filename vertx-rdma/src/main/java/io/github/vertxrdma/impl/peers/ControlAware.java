package io.github.vertxrdma.impl.peers;

public interface ControlAware {

  /** Sets the connections. Called once, before {@link ControlLinks#listen}. */
  void attach(ControlLinks control);
}
