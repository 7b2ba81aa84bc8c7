package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkWatcher;
import io.github.vertxrdma.impl.poll.Scheduler;
import java.util.HashMap;
import java.util.Map;

/** Reports to links whether the process of a silent peer has ended, runs, or is stopped, in place of control connections. */
final class SimulatedControl implements LinkWatcher {
  private final Map<String, SimulatedLoop> processes = new HashMap<>();

  SimulatedControl with(String nodeId, SimulatedLoop process) {
    processes.put(nodeId, process);
    return this;
  }

  @Override
  public void silent(Link link) {
    SimulatedLoop peer = processes.get(link.peer().nodeId());
    Scheduler here = link.loop().host;
    if (peer == null || peer.isDead()) {
      here.execute(() -> link.suspect("its control address refuses"));
    } else {
      // A stopped process does not run this.
      peer.execute(() -> here.execute(link::suspectIfSilent));
    }
  }
}
