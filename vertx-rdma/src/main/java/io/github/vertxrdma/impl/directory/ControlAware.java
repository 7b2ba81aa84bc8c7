package io.github.vertxrdma.impl.directory;

import io.github.vertxrdma.impl.control.ControlLinks;

/** A directory that uses its node's control connections. */
public interface ControlAware {

  /** Gives it the connections; called once, before {@link ControlLinks#listen}. */
  void attach(ControlLinks control);
}
