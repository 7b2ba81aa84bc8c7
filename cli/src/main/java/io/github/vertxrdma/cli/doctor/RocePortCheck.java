package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.Machine;
import io.github.vertxrdma.cli.machine.RdmaPort;

import java.util.List;
import java.util.Locale;

/** UDP port 4791, which RoCE v2 travels on: no program may hold it, and firewalls must let it through. */
final class RocePortCheck implements Check {
  private static final int ROCE = 4791;

  @Override
  public List<Finding> run(Machine machine) {
    if (RdmaPort.all(machine).stream().noneMatch(RdmaPort::roce)) {
      return List.of();
    }
    String port = String.format(Locale.ROOT, ":%04X", ROCE);
    // Local address is column 1, the inode column 9; the kernel's own socket (rxe's) has inode 0.
    boolean taken = List.of("/proc/net/udp", "/proc/net/udp6").stream().flatMap(file -> machine.read(file).stream()).flatMap(String::lines)
      .map(line -> line.strip().split("\\s+"))
      .anyMatch(columns -> columns.length > 9 && columns[1].endsWith(port) && !columns[9].equals("0"));
    return List.of(taken ? Finding.failure("UDP " + ROCE, "a program holds the port of RoCE v2", "sudo ss -lunp sport = :" + ROCE)
      : Finding.ok("UDP " + ROCE, "no program holds it; firewalls between the hosts must let it through"));
  }
}
