package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.Machine;
import java.util.ArrayList;
import java.util.List;

/** Checks whether this process may run on the NUMA node of each RDMA device. */
final class NumaCheck implements Check {

  @Override
  public List<Finding> run(Machine machine) {
    List<String> nodes = machine.list("/sys/devices/system/node").stream().filter(name -> name.matches("node\\d+")).toList();
    if (nodes.size() < 2) {
      return List.of(Finding.ok("NUMA", "one node"));
    }
    List<Finding> findings = new ArrayList<>();
    for (String device : machine.list("/sys/class/infiniband")) {
      long node = machine.number("/sys/class/infiniband/" + device + "/device/numa_node", -1);
      if (node < 0) {
        continue;
      }
      List<Integer> near = cpus(machine.read("/sys/devices/system/node/node" + node + "/cpulist").orElse(""));
      List<Integer> allowed = cpus(machine.field("/proc/self/status", "Cpus_allowed_list"));
      String words = device + " is on node " + node;
      findings.add(allowed.stream().anyMatch(near::contains) ? Finding.ok("NUMA", words + ", which this process may run on")
        : Finding.warning("NUMA", words + ", this process may run on CPUs of others only",
          "numactl --cpunodebind=" + node + " --membind=" + node + " java …"));
    }
    return findings.isEmpty() ? List.of(Finding.ok("NUMA", nodes.size() + " nodes")) : findings;
  }

  private static List<Integer> cpus(String list) {
    List<Integer> cpus = new ArrayList<>();
    for (String range : list.split(",")) {
      String[] ends = range.strip().split("-");
      if (!ends[0].isEmpty()) {
        for (int cpu = Integer.parseInt(ends[0]); cpu <= Integer.parseInt(ends[ends.length - 1]); cpu++) {
          cpus.add(cpu);
        }
      }
    }
    return cpus;
  }
}
