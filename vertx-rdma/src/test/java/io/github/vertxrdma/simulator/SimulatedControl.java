package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkWatcher;
import io.github.vertxrdma.impl.poll.Scheduler;
import java.util.HashMap;
import java.util.Map;

/** Tells links what control connections would: whether the process of a silent peer has ended, runs, or is stopped. */
final class SimulatedControl implements LinkWatcher {
  private final Map<String, SimulatedLoop> processes = new HashMap<>();

  /** Adds a process, in the place of an earlier run of its node. @return this */
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
      // A process that is stopped does not come to it.
      peer.execute(() -> here.execute(link::cutOff));
    }
  }
}
