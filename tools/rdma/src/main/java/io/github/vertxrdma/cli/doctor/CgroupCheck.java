package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.Machine;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks limits of the control group (version 2) on resources that polling and verbs need. */
final class CgroupCheck implements Check {
  private static final String MOUNT = "/sys/fs/cgroup";

  @Override
  public List<Finding> run(Machine machine) {
    List<Finding> findings = new ArrayList<>();
    findings.add(cpu(machine));
    rdma(machine).ifPresent(findings::add);
    return findings;
  }

  private static Finding cpu(Machine machine) {
    for (String group : groups(machine)) {
      String[] limit = machine.read(group + "/cpu.max").orElse("max").split("\\s+");
      if (limit.length == 2 && !limit[0].equals("max")) {
        double cores = Double.parseDouble(limit[0]) / Double.parseDouble(limit[1]);
        return Finding.warning("CPU quota", "%.2f cores: an event loop that polls uses it up and is then stopped for the rest of "
          .formatted(cores) + "each period; use the blocking poll policy, or lift it",
          "echo max | " + machine.sudo() + "tee " + group + "/cpu.max");
      }
    }
    return Finding.ok("CPU quota", "none");
  }

  private static Optional<Finding> rdma(Machine machine) {
    for (String group : groups(machine)) {
      List<String> limited = machine.read(group + "/rdma.max").stream().flatMap(String::lines)
        .filter(line -> line.matches(".*=\\d+.*")).toList();
      if (!limited.isEmpty()) {
        return Optional.of(Finding.warning("rdma cgroup", "limits handles and objects of devices: " + String.join("; ", limited),
          "echo '" + limited.get(0).split(" ")[0] + " hca_handle=max hca_object=max' | " + machine.sudo() + "tee " + group + "/rdma.max"));
      }
    }
    return Optional.empty();
  }

  /** Returns this process's group and its parents, innermost first. */
  private static List<String> groups(Machine machine) {
    String path = machine.read("/proc/self/cgroup").stream().flatMap(String::lines).filter(line -> line.startsWith("0::"))
      .map(line -> line.substring(3)).findFirst().orElse("/");
    List<String> groups = new ArrayList<>();
    while (path.length() > 1) {
      groups.add(MOUNT + path);
      path = path.substring(0, path.lastIndexOf('/'));
    }
    groups.add(MOUNT);
    return groups;
  }
}
