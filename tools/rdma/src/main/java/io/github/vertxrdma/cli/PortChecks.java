package io.github.vertxrdma.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

final class PortChecks {
  private static final Set<String> NO_GID = Set.of("", "0000:0000:0000:0000:0000:0000:0000:0000");
  /** MTU in bytes for 4096 bytes of payload with RoCE v2 headers. */
  private static final int FULL_MTU = 4200;
  private static final int ROCE = 4791;

  private PortChecks() {
  }

  static List<Finding> links(Machine machine) {
    return RdmaPort.all(machine).stream().map(port -> port.active()
      ? Finding.ok(port.toString(), "link active (" + port.linkLayer() + (port.iwarp() ? ", iWARP" : "")
        + (port.hardware() ? "" : ", in software") + ")")
      : Finding.failure(port.toString(), "link is not active: state " + port.state()
        + (port.linkLayer().equals("InfiniBand") ? "; check the cable, and that a subnet manager runs in the network" : ""),
        linkFix(machine, port)))
      .toList();
  }

  private static String linkFix(Machine machine, RdmaPort port) {
    if (port.linkLayer().equals("InfiniBand")) {
      return machine.sudo() + "systemctl start opensm";
    }
    return machine.sudo() + "ip link set " + (port.netdevs().isEmpty() ? "NETDEV" : port.netdevs().get(0)) + " up";
  }

  /** Checks whether each port has a GID. On Ethernet, each IP address has one. */
  static List<Finding> gids(Machine machine) {
    return RdmaPort.all(machine).stream().map(port -> gids(machine, port)).toList();
  }

  private static Finding gids(Machine machine, RdmaPort port) {
    List<String> used = machine.list(port.folder() + "/gids").stream()
      .filter(gid -> !NO_GID.contains(machine.read(port.folder() + "/gids/" + gid).orElse(""))).toList();
    String netdev = port.netdevs().isEmpty() ? "NETDEV" : port.netdevs().get(0);
    if (used.isEmpty()) {
      return Finding.failure(port + " GIDs", "none, so nothing can connect; the network interface has no MAC or IP address (siw on lo "
        + "has none)",
        machine.sudo() + "ip address add ADDRESS/24 dev " + netdev);
    }
    boolean version2 = used.stream().anyMatch(gid -> machine.read(port.folder() + "/gid_attrs/types/" + gid).orElse("").contains("v2"));
    if (port.roce() && !version2) {
      return Finding.warning(port + " GIDs", used.size() + ", none of them for RoCE v2, so packets cannot pass routers",
        machine.sudo() + "ip address add ADDRESS/24 dev " + netdev);
    }
    return Finding.ok(port + " GIDs", used.size() + (port.roce() ? ", RoCE v2 among them" : ""));
  }

  static List<Finding> mtus(Machine machine) {
    List<Finding> findings = new ArrayList<>();
    for (RdmaPort port : RdmaPort.all(machine)) {
      for (String netdev : port.netdevs()) {
        long mtu = machine.number("/sys/class/net/" + netdev + "/mtu", 0);
        if (mtu == 0) {
          findings.add(Finding.ok(port + " MTU", "unknown, since " + netdev + " is not in this network namespace"));
          continue;
        }
        String words = mtu + " on " + netdev + ". Compare it with the value on the peer's host: cat /sys/class/net/" + netdev + "/mtu";
        findings.add(port.roce() && mtu < FULL_MTU && port.hardware()
          ? Finding.warning(port + " MTU", words + "; below " + FULL_MTU + " RoCE sends packets of 1024 bytes or fewer",
            machine.sudo() + "ip link set " + netdev + " mtu " + FULL_MTU)
          : Finding.ok(port + " MTU", words));
      }
    }
    return findings;
  }

  /** Checks congestion control of RoCE: ECN, if the driver shows it in /sys. PFC is not visible. */
  static List<Finding> congestion(Machine machine) {
    List<Finding> findings = new ArrayList<>();
    for (RdmaPort port : RdmaPort.all(machine)) {
      if (port.roce() && port.hardware()) {
        port.netdevs().forEach(netdev -> findings.add(congestion(machine, port, netdev)));
      }
    }
    return findings;
  }

  private static Finding congestion(Machine machine, RdmaPort port, String netdev) {
    String subject = port + " PFC/ECN";
    String pfc = "PFC cannot be read here (dcb pfc show dev " + netdev + "). Check it here, on the switch and on the peer's host";
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

  /** Checks UDP port 4791 of RoCE v2, which no program may use. */
  static List<Finding> rocePort(Machine machine) {
    List<RdmaPort> roce = RdmaPort.all(machine).stream().filter(RdmaPort::roce).toList();
    if (roce.isEmpty()) {
      return List.of();
    }
    if (roce.stream().anyMatch(port -> !port.hardware())) {
      return List.of(Finding.ok("UDP " + ROCE, "used by the kernel's rxe; firewalls between the hosts must permit it"));
    }
    String port = String.format(Locale.ROOT, ":%04X", ROCE);
    boolean taken = List.of("/proc/net/udp", "/proc/net/udp6").stream().flatMap(file -> machine.read(file).stream()).flatMap(String::lines)
      .map(line -> line.strip().split("\\s+")).anyMatch(columns -> columns.length > 1 && columns[1].endsWith(port));
    return List.of(taken ? Finding.failure("UDP " + ROCE, "a program uses the port of RoCE v2. End it (to see its name: "
      + machine.sudo() + "ss -lunp sport = :" + ROCE + ")", machine.sudo() + "fuser -k " + ROCE + "/udp")
      : Finding.ok("UDP " + ROCE, "no program uses it; firewalls between the hosts must permit it"));
  }
}
