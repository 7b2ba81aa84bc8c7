package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.Machine;
import io.github.vertxrdma.cli.machine.RdmaPort;
import java.util.ArrayList;
import java.util.List;

/** Checks congestion control of RoCE: ECN, if the driver shows it in /sys, and PFC, which it does not show. */
final class CongestionCheck implements Check {

  @Override
  public List<Finding> run(Machine machine) {
    List<Finding> findings = new ArrayList<>();
    for (RdmaPort port : RdmaPort.all(machine)) {
      if (port.roce() && port.hardware()) {
        port.netdevs().forEach(netdev -> findings.add(look(machine, port, netdev)));
      }
    }
    return findings;
  }

  private static Finding look(Machine machine, RdmaPort port, String netdev) {
    String subject = port + " PFC/ECN";
    String pfc = "PFC cannot be read here (dcb pfc show dev " + netdev + "), the switch's and the other end's neither";
    List<String> off = new ArrayList<>();
    boolean known = false;
    for (String role : List.of("roce_np", "roce_rp")) {
      String folder = "/sys/class/net/" + netdev + "/ecn/" + role + "/enable";
      for (String priority : machine.list(folder)) {
        known = true;
        if (machine.read(folder + "/" + priority).orElse("").equals("0")) {
          off.add(role + " " + priority);
        }
      }
    }
    if (!known) {
      return Finding.ok(subject, "ECN cannot be read from this driver; " + pfc);
    }
    return off.isEmpty() ? Finding.ok(subject, "ECN on for every priority; " + pfc)
      : Finding.warning(subject, "ECN is off for " + String.join(", ", off) + "; " + pfc,
        "echo 1 | " + machine.sudo() + "tee /sys/class/net/" + netdev + "/ecn/roce_np/enable/* /sys/class/net/" + netdev
          + "/ecn/roce_rp/enable/*");
  }
}
