package io.github.vertxrdma.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * An adapter that needs a libfabric provider.
 *
 * @param name name of the device in /sys, such as {@code rdmap0s6} or {@code cxi0}
 * @param provider {@code efa} or {@code cxi}
 */
public record FabricAdapter(String name, String provider) {
  public static final String EFA = "efa";
  public static final String CXI = "cxi";
  private static final String VERBS = "/sys/class/infiniband";

  public static List<FabricAdapter> all(Machine machine) {
    List<FabricAdapter> all = new ArrayList<>();
    machine.list(VERBS).stream().filter(device -> isEfa(machine, device)).forEach(device -> all.add(new FabricAdapter(device, EFA)));
    machine.list("/sys/class/cxi").forEach(device -> all.add(new FabricAdapter(device, CXI)));
    return all;
  }

  public static List<FabricAdapter> of(Machine machine, String provider) {
    return all(machine).stream().filter(adapter -> adapter.provider.equals(provider)).toList();
  }

  /** Returns whether an infiniband device is an Elastic Fabric Adapter, which has no connection manager. */
  public static boolean isEfa(Machine machine, String device) {
    return machine.link(VERBS + "/" + device + "/device/driver").endsWith("/" + EFA);
  }
}
