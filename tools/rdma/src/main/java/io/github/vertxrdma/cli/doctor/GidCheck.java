package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.Machine;
import io.github.vertxrdma.cli.machine.RdmaPort;
import java.util.List;
import java.util.Set;

/** Checks whether each port has a GID; on Ethernet each IP address has one. */
final class GidCheck implements Check {
  private static final Set<String> EMPTY = Set.of("", "0000:0000:0000:0000:0000:0000:0000:0000");

  @Override
  public List<Finding> run(Machine machine) {
    return RdmaPort.all(machine).stream().map(port -> look(machine, port)).toList();
  }

  private static Finding look(Machine machine, RdmaPort port) {
    List<String> used = machine.list(port.folder() + "/gids").stream()
      .filter(gid -> !EMPTY.contains(machine.read(port.folder() + "/gids/" + gid).orElse(""))).toList();
    String netdev = port.netdevs().isEmpty() ? "NETDEV" : port.netdevs().get(0);
    if (used.isEmpty()) {
      return Finding.failure(port + " GIDs", "none, so nothing can be connected; the network device has no MAC or IP address "
        + "(siw on lo has none)",
        machine.sudo() + "ip address add ADDRESS/24 dev " + netdev);
    }
    boolean version2 = used.stream().anyMatch(gid -> machine.read(port.folder() + "/gid_attrs/types/" + gid).orElse("").contains("v2"));
    if (port.roce() && !version2) {
      return Finding.warning(port + " GIDs", used.size() + ", none of them for RoCE v2, which is what routers pass",
        machine.sudo() + "ip address add ADDRESS/24 dev " + netdev);
    }
    return Finding.ok(port + " GIDs", used.size() + (port.roce() ? ", RoCE v2 among them" : ""));
  }
}
