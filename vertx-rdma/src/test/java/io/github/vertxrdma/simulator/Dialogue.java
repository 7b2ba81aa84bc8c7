package io.github.vertxrdma.simulator;

import io.github.vertxrdma.simulator.world.Fault;
import java.util.EnumSet;
import java.util.Set;

/** One link between two nodes, from the wish to connect to the end of both sides. */
final class Dialogue {
  final int number;
  final Node connector;
  final Node acceptor;
  /** The connector's end, then the acceptor's; null before they are there. */
  final End[] ends = new End[2];
  /** Faults that met it, and may end it. */
  final Set<Fault> faults = EnumSet.noneOf(Fault.class);
  /** An application ended it otherwise than in order, or closed it while more was to come. */
  boolean cutShort;
  /** The connector has heard whether there is a link. */
  boolean answered;
  boolean wanted = true;
  boolean exchanged;

  Dialogue(int number, Node connector, Node acceptor) {
    this.number = number;
    this.connector = connector;
    this.acceptor = acceptor;
  }

  End other(End end) {
    return ends[0] == end ? ends[1] : ends[0];
  }

  boolean isExcused() {
    return cutShort || faults.stream().anyMatch(fault -> fault.excuses);
  }

  boolean has(Node node) {
    return connector == node || acceptor == node;
  }

  @Override
  public String toString() {
    return "dialogue " + number + " of nodes " + connector.number + " and " + acceptor.number
      + (faults.isEmpty() ? "" : ' ' + faults.toString());
  }
}
