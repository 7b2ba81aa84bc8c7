package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.FabricAdapter;
import io.github.vertxrdma.cli.machine.Machine;
import io.github.vertxrdma.cli.machine.RdmaPort;
import java.util.List;
import java.util.stream.Stream;

/** Checks the limit of pinned memory. Registration by verbs, EFA and Slingshot pins memory; tcp and shm do not. */
final class MemlockCheck implements Check {
  /** Memory that a node with the default options registers, with reserve. */
  private static final long ENOUGH = 256L << 20;
  private static final int CAP_IPC_LOCK = 14;
  private static final int CAP_SYS_ADMIN = 21;

  @Override
  public List<Finding> run(Machine machine) {
    String[] limits = machine.field("/proc/self/limits", "Max locked memory").split("\\s+");
    if (limits[0].isEmpty()) {
      return List.of();
    }
    List<RdmaPort> ports = RdmaPort.all(machine);
    boolean unlimited = limits[0].equals("unlimited");
    long bytes = unlimited ? Long.MAX_VALUE : Long.parseLong(limits[0]);
    String words = unlimited ? "unlimited" : (bytes >= 1 << 20 ? (bytes >> 20) + " MiB" : (bytes >> 10) + " KiB");
    if (bytes >= ENOUGH) {
      return List.of(Finding.ok("memlock", words));
    }
    // Only root may raise the hard limit; prlimit(1) does so for the present shell.
    String fix = machine.root() || limits[1].equals("unlimited") ? "ulimit -l unlimited" : "sudo prlimit --pid $$ --memlock=unlimited";
    String elsewhere = " (a service, and containerd for its containers: LimitMEMLOCK=infinity; Docker: --ulimit memlock=-1)";
    // The default of container runtimes lacks the capability, and a process outside of containers has all.
    boolean unusable = !machine.root() && !has(machine, "CapEff") && has(machine, "CapBnd") && !has(machine, "CapBnd", CAP_SYS_ADMIN);
    String capability = unusable ? ". The capability IPC_LOCK, which this container has, has no effect for a user other than root" : "";
    List<String> devices = Stream.concat(ports.stream().map(RdmaPort::device), FabricAdapter.all(machine).stream().map(FabricAdapter::name))
      .toList();
    if (devices.isEmpty()) {
      return List.of(Finding.ok("memlock", words + "; enough without RDMA devices, too little with them: " + fix + elsewhere));
    }
    // siw enforces the limit even for root; drivers of hardware exempt CAP_IPC_LOCK.
    boolean exempt = has(machine, "CapEff") && ports.stream().allMatch(port -> port.hardware());
    return List.of(exempt ? Finding.ok("memlock", words + ", which this process may exceed (CAP_IPC_LOCK)")
      : Finding.failure("memlock", words + " is too little: " + devices.get(0) + " pins what it registers" + elsewhere + capability,
        fix));
  }

  private static boolean has(Machine machine, String set) {
    return has(machine, set, CAP_IPC_LOCK);
  }

  private static boolean has(Machine machine, String set, int capability) {
    String capabilities = machine.field("/proc/self/status", set);
    return !capabilities.isEmpty() && (Long.parseUnsignedLong(capabilities, 16) >> capability & 1) == 1;
  }
}
