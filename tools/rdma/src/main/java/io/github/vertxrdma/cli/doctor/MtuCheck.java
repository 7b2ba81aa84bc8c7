package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.Machine;
import io.github.vertxrdma.cli.machine.RdmaPort;
import java.util.ArrayList;
import java.util.List;

final class MtuCheck implements Check {
  /** 4096 bytes of payload and the RoCE v2 headers. */
  private static final int FULL = 4200;

  @Override
  public List<Finding> run(Machine machine) {
    List<Finding> findings = new ArrayList<>();
    for (RdmaPort port : RdmaPort.all(machine)) {
      for (String netdev : port.netdevs()) {
        long mtu = machine.number("/sys/class/net/" + netdev + "/mtu", 0);
        String words = mtu + " on " + netdev + "; the other end's cannot be read from here, compare: cat /sys/class/net/" + netdev + "/mtu";
        findings.add(port.roce() && mtu < FULL && port.hardware()
          ? Finding.warning(port + " MTU", words + "; below " + FULL + " RoCE sends packets of 1024 bytes or fewer",
            machine.sudo() + "ip link set " + netdev + " mtu " + FULL)
          : Finding.ok(port + " MTU", words));
      }
    }
    return findings;
  }
}
