package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.Machine;
import java.util.List;

/** Checks huge pages, which shorten registration and the device's page tables. */
final class HugePagesCheck implements Check {

  @Override
  public List<Finding> run(Machine machine) {
    String total = machine.field("/proc/meminfo", "HugePages_Total");
    String free = machine.field("/proc/meminfo", "HugePages_Free");
    String size = machine.field("/proc/meminfo", "Hugepagesize");
    if (total.isEmpty()) {
      return List.of(Finding.ok("huge pages", "this kernel has none; they are optional"));
    }
    return List.of(Finding.ok("huge pages", total.equals("0") ? "none reserved; optional: " + machine.sudo() + "sysctl vm.nr_hugepages=512"
      : free + " of " + total + " free, " + size + " each"));
  }
}
