package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.Machine;
import java.util.List;

/** One thing that RDMA needs of a machine. */
public interface Check {

  /**
   * Looks, and changes nothing.
   *
   * @return what it found; empty where it does not apply
   * @throws java.io.UncheckedIOException if something is there and cannot be read; told as a warning
   */
  List<Finding> run(Machine machine);
}
