package io.github.vertxrdma.impl.support;

import io.github.vertxrdma.impl.peers.ControlLink;
import io.github.vertxrdma.impl.peers.ControlListener;
import io.github.vertxrdma.impl.peers.PeerDeath;
import java.util.function.Consumer;

/** Calls a handler for each death of a peer. */
public record Deaths(Consumer<PeerDeath> handler) implements ControlListener {
  @Override
  public void opened(ControlLink link) {
    // Only deaths are of interest.
  }

  @Override
  public void died(PeerDeath death) {
    handler.accept(death);
  }
}
