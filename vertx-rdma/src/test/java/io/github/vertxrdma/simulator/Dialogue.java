package io.github.vertxrdma.simulator;

import io.github.vertxrdma.simulator.world.Fault;
import java.util.EnumSet;
import java.util.Set;

final class Dialogue {
  final int number;
  final Node connector;
  final Node acceptor;
  final End[] ends = new End[2];
  final Set<Fault> faults = EnumSet.noneOf(Fault.class);
  /** Whether an application ended the link out of order, or closed it before all messages had arrived. */
  boolean cutShort;
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
