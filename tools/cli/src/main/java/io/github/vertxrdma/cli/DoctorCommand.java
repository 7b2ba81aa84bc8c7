package io.github.vertxrdma.cli;

import io.github.vertxrdma.cli.doctor.Doctor;
import io.github.vertxrdma.cli.machine.Machine;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import java.io.PrintStream;
import java.util.List;

/** {@code doctor}: what is wrong with this machine, and what mends it. */
final class DoctorCommand {
  private final PrintStream out;

  DoctorCommand(PrintStream out) {
    this.out = out;
  }

  /** @return the status to exit with: 1 if a check failed */
  int run() {
    return new Doctor(Machine.local(), List.of(new DevicesCheck(() -> Survey.of(Provider.all(), new DiscoveryOptions())))).run(out);
  }
}
