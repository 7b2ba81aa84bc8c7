package io.github.vertxrdma.cli;

import java.util.List;

/** A check of one requirement of RDMA on a machine. */
public interface Check {

  /**
   * Runs the check, without changes to the machine.
   *
   * @return empty if the check does not apply
   * @throws java.io.UncheckedIOException if something exists and cannot be read
   */
  List<Finding> run(Machine machine);
}
