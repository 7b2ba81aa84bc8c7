package io.github.vertxrdma.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A port of an RDMA device in /sys/class/infiniband.
 *
 * @param state such as {@code 4: ACTIVE}
 * @param linkLayer {@code InfiniBand} or {@code Ethernet}
 * @param hardware false for siw and rxe
 * @param netdevs network devices of the port's GIDs
 */
public record RdmaPort(String device, int number, String folder, String state, String linkLayer, boolean hardware, boolean iwarp,
  List<String> netdevs) {
  private static final String DEVICES = "/sys/class/infiniband";

  public static List<RdmaPort> all(Machine machine) {
    List<RdmaPort> ports = new ArrayList<>();
    for (String device : machine.list(DEVICES)) {
      boolean iwarp = machine.read(DEVICES + "/" + device + "/node_type").orElse("").contains("RNIC");
      for (String number : machine.list(DEVICES + "/" + device + "/ports")) {
        String folder = DEVICES + "/" + device + "/ports/" + number;
        Function<String, String> read = file -> machine.read(folder + "/" + file).orElse("");
        List<String> netdevs = machine.list(folder + "/gid_attrs/ndevs").stream().map(gid -> read.apply("gid_attrs/ndevs/" + gid))
          .filter(netdev -> !netdev.isEmpty()).distinct().toList();
        ports.add(new RdmaPort(device, Integer.parseInt(number), folder, read.apply("state"), read.apply("link_layer"),
          !virtual(machine, device), iwarp, netdevs));
      }
    }
    return ports;
  }

  private static boolean virtual(Machine machine, String device) {
    try {
      return machine.path(DEVICES + "/" + device).toRealPath().toString().contains("/devices/virtual/");
    } catch (IOException e) {
      return false;
    }
  }

  public boolean active() {
    return state.contains("ACTIVE");
  }

  /** Returns true for RoCE, in hardware or by rxe. */
  public boolean roce() {
    return !iwarp && linkLayer.equals("Ethernet");
  }

  @Override
  public String toString() {
    return device + " port " + number;
  }
}
