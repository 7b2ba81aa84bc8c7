package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.Machine;
import io.github.vertxrdma.cli.machine.RdmaPort;
import java.util.List;
import java.util.Locale;

/** Checks UDP port 4791 of RoCE v2: no program may use it, and firewalls must let it pass. */
final class RocePortCheck implements Check {
  private static final int ROCE = 4791;

  @Override
  public List<Finding> run(Machine machine) {
    List<RdmaPort> roce = RdmaPort.all(machine).stream().filter(RdmaPort::roce).toList();
    if (roce.isEmpty()) {
      return List.of();
    }
    if (roce.stream().anyMatch(port -> !port.hardware())) {
      return List.of(Finding.ok("UDP " + ROCE, "the kernel's rxe holds it; firewalls between the hosts must let it through"));
    }
    String port = String.format(Locale.ROOT, ":%04X", ROCE);
    boolean taken = List.of("/proc/net/udp", "/proc/net/udp6").stream().flatMap(file -> machine.read(file).stream()).flatMap(String::lines)
      .map(line -> line.strip().split("\\s+")).anyMatch(columns -> columns.length > 1 && columns[1].endsWith(port));
    return List.of(taken ? Finding.failure("UDP " + ROCE, "a program holds the port of RoCE v2 and has to end (its name: "
      + machine.sudo() + "ss -lunp sport = :" + ROCE + ")", machine.sudo() + "fuser -k " + ROCE + "/udp")
      : Finding.ok("UDP " + ROCE, "no program holds it; firewalls between the hosts must let it through"));
  }
}
