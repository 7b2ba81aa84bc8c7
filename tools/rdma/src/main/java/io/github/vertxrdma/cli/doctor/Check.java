package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.Machine;
import java.util.List;

/** Checks one requirement of RDMA on a machine. */
public interface Check {

  /**
   * Checks without changing anything.
   *
   * @return findings; empty if the check does not apply
   * @throws java.io.UncheckedIOException if something exists and cannot be read; reported as a warning
   */
  List<Finding> run(Machine machine);
}
