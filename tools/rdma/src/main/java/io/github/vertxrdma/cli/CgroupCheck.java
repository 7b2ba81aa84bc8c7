package io.github.vertxrdma.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

final class CgroupCheck implements Check {
  private static final String MOUNT = "/sys/fs/cgroup";
  private static final int MIB = 1 << 20;
  /** Memory that an idle node with a heap of 256 MiB uses, rounded up. */
  private static final int MINIMUM_MIB = 256;

  @Override
  public List<Finding> run(Machine machine) {
    List<Finding> findings = new ArrayList<>();
    findings.add(cpu(machine));
    findings.add(memory(machine));
    rdma(machine).ifPresent(findings::add);
    findings.add(threads(machine));
    return findings;
  }

  private static Finding cpu(Machine machine) {
    for (String group : groups(machine, "cpu")) {
      String[] limit = machine.read(group + "/cpu.max").orElse("max").split("\\s+");
      if (limit.length == 2 && !limit[0].equals("max")) {
        return quota(Double.parseDouble(limit[0]) / Double.parseDouble(limit[1]), "echo max", machine, group + "/cpu.max");
      }
      double quota = machine.number(group + "/cpu.cfs_quota_us", -1);
      double period = machine.number(group + "/cpu.cfs_period_us", -1);
      if (quota > 0 && period > 0) {
        return quota(quota / period, "echo -1", machine, group + "/cpu.cfs_quota_us");
      }
    }
    return Finding.ok("CPU quota", "none");
  }

  private static Finding memory(Machine machine) {
    double least = Double.MAX_VALUE;
    for (String group : groups(machine, "memory")) {
      for (String file : List.of("/memory.max", "/memory.limit_in_bytes")) {
        String limit = machine.read(group + file).orElse("max").strip();
        least = limit.equals("max") ? least : Math.min(least, Double.parseDouble(limit));
      }
    }
    // Version 1 of cgroups shows about 2^63 if there is no limit.
    if (least > Long.MAX_VALUE / 2) {
      return Finding.ok("memory limit", "none");
    }
    String text = "%.0f MiB".formatted(least / MIB);
    return least >= (double) MINIMUM_MIB * MIB ? Finding.ok("memory limit", text)
      : Finding.warning("memory limit", text + ": the kernel kills a node with less than " + MINIMUM_MIB + " MiB",
        "give it " + MINIMUM_MIB + " MiB or more, and the size of its heap, buffers and regions");
  }

  private static Finding threads(Machine machine) {
    String narrowest = "";
    long least = Long.MAX_VALUE;
    for (String group : groups(machine, "pids")) {
      long max = machine.number(group + "/pids.max", -1);
      // The threads of this process end with it, so they count as free.
      long free = max - machine.number(group + "/pids.current", 0) + MachineChecks.threads(machine, "self");
      if (max >= 0 && free < least) {
        narrowest = group + "/pids.max";
        least = free;
      }
    }
    if (narrowest.isEmpty()) {
      return Finding.ok("thread limit", "none");
    }
    String text = Math.max(0, least) + " more threads are allowed by " + narrowest;
    return least >= MachineChecks.ENOUGH_THREADS ? Finding.ok("thread limit", text)
      : Finding.warning("thread limit", text + ": " + MachineChecks.NEEDED_THREADS
        + " (a service: TasksMax=infinity; containers: --pids-limit=-1)", "echo max | " + machine.sudo() + "tee " + narrowest);
  }

  private static Finding quota(double cores, String echo, Machine machine, String file) {
    return Finding.warning("CPU quota",
      ("%.2f cores: an event loop that polls uses up the quota, and the kernel then stops it for the rest "
        + "of each period; use the blocking poll policy, or remove the quota").formatted(cores),
      echo + " | " + machine.sudo() + "tee " + file);
  }

  private static Optional<Finding> rdma(Machine machine) {
    for (String group : groups(machine, "rdma")) {
      List<String> limited = machine.read(group + "/rdma.max").stream().flatMap(String::lines)
        .filter(line -> line.matches(".*=\\d+.*")).toList();
      if (!limited.isEmpty()) {
        return Optional.of(Finding.warning("rdma cgroup", "limits handles and objects of devices: " + String.join("; ", limited),
          "echo '" + limited.get(0).split(" ")[0] + " hca_handle=max hca_object=max' | " + machine.sudo() + "tee "
            + group + "/rdma.max"));
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the folders of this process's control groups and their parents, innermost first. Groups of version 2 precede those of the
   * version 1 controller.
   */
  private static List<String> groups(Machine machine, String controller) {
    List<String> groups = new ArrayList<>();
    List<String[]> lines = machine.read("/proc/self/cgroup").stream().flatMap(String::lines).map(line -> line.split(":", 3))
      .filter(parts -> parts.length == 3).toList();
    add(groups, MOUNT, lines.stream().filter(parts -> parts[0].equals("0")).map(parts -> parts[2]).findFirst().orElse("/"));
    lines.stream().filter(parts -> List.of(parts[1].split(",")).contains(controller))
      .forEach(parts -> add(groups, MOUNT + '/' + parts[1], parts[2]));
    return groups;
  }

  /** Also adds the mount, because a container may see the host's path and mount its own group. */
  private static void add(List<String> groups, String mount, String own) {
    for (String path = own; path.length() > 1; path = path.substring(0, path.lastIndexOf('/'))) {
      groups.add(mount + path);
    }
    groups.add(mount);
  }
}
