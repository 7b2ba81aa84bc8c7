package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.Machine;
import io.github.vertxrdma.cli.machine.RdmaPort;
import java.util.List;

final class LinkCheck implements Check {

  @Override
  public List<Finding> run(Machine machine) {
    return RdmaPort.all(machine).stream().map(port -> port.active()
      ? Finding.ok(port.toString(), "link active (" + port.linkLayer() + (port.iwarp() ? ", iWARP" : "")
        + (port.hardware() ? "" : ", in software") + ")")
      : Finding.failure(port.toString(), "link is not active: state " + port.state()
        + (port.linkLayer().equals("InfiniBand") ? "; is the cable plugged, and does a subnet manager run in the fabric?" : ""),
        fix(machine, port)))
      .toList();
  }

  private static String fix(Machine machine, RdmaPort port) {
    if (port.linkLayer().equals("InfiniBand")) {
      return machine.sudo() + "systemctl start opensm";
    }
    return machine.sudo() + "ip link set " + (port.netdevs().isEmpty() ? "NETDEV" : port.netdevs().get(0)) + " up";
  }
}
