package io.github.vertxrdma.cli;

import io.github.vertxrdma.commands.Printable;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Runs the checks and prints a line for each finding. */
public final class DoctorCommand {
  private final Machine machine;
  private final List<Check> checks = new ArrayList<>();

  public DoctorCommand(Machine machine, List<Check> more) {
    this.machine = machine;
    // Created before all checks and run after them, to compare the signal handlers.
    Check signals = new SignalHandlersCheck();
    checks.addAll(ofMachine());
    checks.addAll(more);
    checks.add(signals);
  }

  private static List<Check> ofMachine() {
    return List.of(here -> MachineChecks.jdk(here, Runtime.version().feature()), new LibrariesCheck(), MachineChecks::modules,
      AdapterChecks::deviceFiles, PortChecks::links, PortChecks::gids, PortChecks::mtus, PortChecks::congestion, PortChecks::rocePort,
      AdapterChecks::efa, AdapterChecks::slingshot, AdapterChecks::providerFilter, MachineChecks::memlock, MachineChecks::processes,
      MachineChecks::numa, new CgroupCheck());
  }

  /** @return 1 if a check failed, otherwise 0 */
  public int run(PrintStream out) {
    int warnings = 0;
    int failures = 0;
    for (Check check : checks) {
      for (Finding finding : look(check)) {
        String line = String.format(Locale.ROOT, "%-8s %-22s %s%s", finding.level().name().toLowerCase(Locale.ROOT), finding.subject(),
          finding.words(), finding.fix().isEmpty() ? "" : " — fix: " + finding.fix());
        out.println(Printable.of(line));
        switch (finding.level()) {
          case OK -> {}
          case WARNING -> warnings++;
          case FAILURE -> failures++;
        }
      }
    }
    out.printf(Locale.ROOT, "%d failures, %d warnings%n", failures, warnings);
    return failures == 0 ? 0 : 1;
  }

  private List<Finding> look(Check check) {
    try {
      return check.run(machine);
    } catch (UncheckedIOException e) {
      return List.of(machine.root()
        ? Finding.warning("files", e.getMessage() + "; this process is root, so a container or a security module prevents the access", "")
        : Finding.warning("files", e.getMessage(), machine.sudo() + "./rdma doctor"));
    }
  }
}
