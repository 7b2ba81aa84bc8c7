package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.FabricAdapter;
import io.github.vertxrdma.cli.machine.Machine;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Checks what Elastic Fabric Adapters need besides their device files; fi_efa(7). */
final class EfaCheck implements Check {
  private static final String DRIVER = "/etc/libibverbs.d/efa.driver";
  private static final String FORK_SAFE = "FI_EFA_FORK_SAFE";
  private static final String MECHANISM = "jdk.lang.Process.launchMechanism=FORK";
  private static final Set<String> TRUE = Set.of("1", "on", "true", "yes");
  private static final List<String> OPTIONS = List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS");

  @Override
  public List<Finding> run(Machine machine) {
    if (FabricAdapter.of(machine, FabricAdapter.EFA).isEmpty()) {
      return List.of();
    }
    List<Finding> findings = new ArrayList<>();
    findings.add(machine.exists(DRIVER) ? Finding.ok("EFA driver", DRIVER)
      : Finding.failure("EFA driver", DRIVER + " is not there, so libibverbs opens no EFA device",
        machine.install("ibverbs-providers", "libibverbs")));
    findings
      .add(Finding.ok("EFA security group", "cannot be read here; it has to allow all traffic of its own members in both directions"));
    boolean forkSafe = TRUE.contains(machine.variable(FORK_SAFE));
    boolean hugePages = machine.number("/proc/sys/vm/nr_hugepages", 0) > 0;
    for (String options : OPTIONS) {
      if (machine.variable(options).contains(MECHANISM) && !forkSafe && isBefore(machine.kernel(), 5, 13)) {
        findings
          .add(Finding.failure("EFA and fork", options + " makes Java start processes by fork(2), which ends a process that uses EFA on"
            + " kernel " + machine.kernel(), "unset " + options));
      }
    }
    if (forkSafe && hugePages) {
      findings.add(Finding.warning("EFA and fork", FORK_SAFE + " is set, with which memory in huge pages cannot be registered",
        "unset " + FORK_SAFE));
    }
    return findings;
  }

  private static boolean isBefore(String kernel, int major, int minor) {
    String[] numbers = kernel.split("[^0-9]+", 3);
    if (numbers.length < 2 || numbers[0].isEmpty() || numbers[1].isEmpty()) {
      return false;
    }
    int first = Integer.parseInt(numbers[0]);
    return first < major || first == major && Integer.parseInt(numbers[1]) < minor;
  }
}
