package io.github.vertxrdma.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

final class MachineChecks {
  private static final int NEEDED_JDK = 25;
  /** Memory in bytes that a node with default options registers, with reserve. */
  private static final long ENOUGH = 256L << 20;
  private static final int CAP_IPC_LOCK = 14;
  private static final int CAP_SYS_ADMIN = 21;
  private static final int CAP_SYS_RESOURCE = 24;
  /**
   * Threads of an application, rounded up: 18 of Java on two processors, 12 of a node before its first connection, and at most 20 worker
   * threads each of Vert.x and vertx-rdma.
   */
  static final int ENOUGH_THREADS = 80;
  static final String NEEDED_THREADS = "a process with a node needs up to " + ENOUGH_THREADS + " threads, and fails if it cannot "
    + "start them";

  private MachineChecks() {
  }

  static List<Finding> jdk(Machine machine, int version) {
    String words = System.getProperty("java.vendor") + " " + System.getProperty("java.version") + " in "
      + System.getProperty("java.home");
    if (version < NEEDED_JDK) {
      return List.of(Finding.failure("JDK", words + " is older than " + NEEDED_JDK,
        machine.install("openjdk-" + NEEDED_JDK + "-jdk-headless", "java-" + NEEDED_JDK + "-openjdk-devel")));
    }
    if (!MachineChecks.class.getModule().isNativeAccessEnabled()) {
      return List.of(Finding.warning("JDK", words + "; native access is not enabled, so Java prints a warning",
        "java --enable-native-access=ALL-UNNAMED …"));
    }
    return List.of(Finding.ok("JDK", words));
  }

  /** Checks the limit of pinned memory. Verbs, EFA and Slingshot pin registered memory; tcp and shm do not. */
  static List<Finding> memlock(Machine machine) {
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
    // Only root may raise the hard limit. prlimit(1) raises it for the present shell.
    String fix = machine.root() || limits[1].equals("unlimited") ? "ulimit -l unlimited" : "sudo prlimit --pid $$ --memlock=unlimited";
    String elsewhere = " (a service, and containerd for its containers: LimitMEMLOCK=infinity; Docker: --ulimit memlock=-1)";
    // Containers lack CAP_SYS_ADMIN in CapBnd by default. Processes outside of containers have all capabilities there.
    boolean unusable = !machine.root() && !has(machine, "CapEff") && has(machine, "CapBnd") && !has(machine, "CapBnd", CAP_SYS_ADMIN);
    String capability = unusable ? ". The capability IPC_LOCK, which this container has, has no effect for a user other than root" : "";
    List<String> devices = Stream.concat(ports.stream().map(RdmaPort::device), FabricAdapter.all(machine).stream().map(FabricAdapter::name))
      .toList();
    if (devices.isEmpty()) {
      return List.of(Finding.ok("memlock", words + "; this is enough without RDMA devices. With them, raise it: " + fix + elsewhere));
    }
    // siw enforces the limit even for root. Hardware drivers exempt CAP_IPC_LOCK.
    boolean exempt = has(machine, "CapEff") && ports.stream().allMatch(port -> port.hardware());
    return List.of(exempt ? Finding.ok("memlock", words + ", which this process may exceed (CAP_IPC_LOCK)")
      : Finding.failure("memlock", words + " is too little: " + devices.get(0) + " pins what it registers" + elsewhere + capability,
        fix));
  }

  /** Checks the limit of this user's processes, which counts threads. Root is exempt; see setrlimit(2). */
  static List<Finding> processes(Machine machine) {
    String limit = machine.field("/proc/self/limits", "Max processes").split("\\s+")[0];
    if (limit.isEmpty()) {
      return List.of();
    }
    if (limit.equals("unlimited") || machine.root() || has(machine, "CapEff", CAP_SYS_ADMIN) || has(machine, "CapEff", CAP_SYS_RESOURCE)) {
      return List.of(Finding.ok("user's threads", "unlimited"));
    }
    String user = user(machine, "self");
    long running = machine.list("/proc").stream().filter(name -> name.matches("\\d+") && user(machine, name).equals(user))
      .mapToLong(name -> threads(machine, name)).sum();
    long free = Long.parseLong(limit) - running + threads(machine, "self");
    String words = Math.max(0, free) + " more threads are allowed by 'ulimit -u', which is " + limit;
    return List.of(free >= ENOUGH_THREADS ? Finding.ok("user's threads", words)
      : Finding.warning("user's threads", words + ": " + NEEDED_THREADS + " (a service: LimitNPROC=infinity)",
        "sudo prlimit --pid $$ --nproc=unlimited"));
  }

  private static String user(Machine machine, String process) {
    return machine.field("/proc/" + process + "/status", "Uid").split("\\s+")[0];
  }

  /** Returns the number of threads of a process; 0 if it has ended. */
  static long threads(Machine machine, String process) {
    String threads = machine.field("/proc/" + process + "/status", "Threads");
    return threads.isEmpty() ? 0 : Long.parseLong(threads);
  }

  private static boolean has(Machine machine, String set) {
    return has(machine, set, CAP_IPC_LOCK);
  }

  private static boolean has(Machine machine, String set, int capability) {
    String capabilities = machine.field("/proc/self/status", set);
    return !capabilities.isEmpty() && (Long.parseUnsignedLong(capabilities, 16) >> capability & 1) == 1;
  }

  /** Checks whether this process may run on the NUMA node of each RDMA device. */
  static List<Finding> numa(Machine machine) {
    List<String> nodes = machine.list("/sys/devices/system/node").stream().filter(name -> name.matches("node\\d+")).toList();
    if (nodes.size() < 2) {
      return List.of(Finding.ok("NUMA", "one node"));
    }
    List<Finding> findings = new ArrayList<>();
    for (String device : machine.list("/sys/class/infiniband")) {
      long node = machine.number("/sys/class/infiniband/" + device + "/device/numa_node", -1);
      if (node < 0) {
        continue;
      }
      List<Integer> near = cpus(machine.read("/sys/devices/system/node/node" + node + "/cpulist").orElse(""));
      List<Integer> allowed = cpus(machine.field("/proc/self/status", "Cpus_allowed_list"));
      String words = device + " is on node " + node;
      findings.add(allowed.stream().anyMatch(near::contains) ? Finding.ok("NUMA", words + ", which this process may run on")
        : Finding.warning("NUMA", words + ", but this process may only run on CPUs of other nodes",
          "numactl --cpunodebind=" + node + " --membind=" + node + " java …"));
    }
    return findings.isEmpty() ? List.of(Finding.ok("NUMA", nodes.size() + " nodes")) : findings;
  }

  private static List<Integer> cpus(String list) {
    List<Integer> cpus = new ArrayList<>();
    for (String range : list.split(",")) {
      String[] ends = range.strip().split("-");
      if (!ends[0].isEmpty()) {
        for (int cpu = Integer.parseInt(ends[0]); cpu <= Integer.parseInt(ends[ends.length - 1]); cpu++) {
          cpus.add(cpu);
        }
      }
    }
    return cpus;
  }

  private enum Presence {
    /** Loaded, or part of the kernel. */
    LOADED,
    AVAILABLE,
    ABSENT,
    /** The modules of the kernel are not visible, as in most containers. */
    UNKNOWN
  }

  /** Part of the release name of Debian's cloud kernels, which have few modules. */
  private static final String CLOUD = "-cloud-";

  static List<Finding> modules(Machine machine) {
    List<RdmaPort> ports = RdmaPort.all(machine);
    boolean connections = ports.stream().anyMatch(port -> !FabricAdapter.isEfa(machine, port.device()));
    return List.of(core(machine, "ib_core", !ports.isEmpty()), core(machine, "ib_uverbs", !ports.isEmpty()),
      core(machine, "rdma_ucm", connections));
  }

  private static Presence presence(Machine machine, String name) {
    if (machine.exists("/sys/module/" + name)) {
      return Presence.LOADED;
    }
    String folder = "/lib/modules/" + machine.kernel();
    String file = "/" + name + ".ko";
    if (machine.read(folder + "/modules.builtin").orElse("").contains(file)) {
      return Presence.LOADED;
    }
    Optional<String> loadable = machine.read(folder + "/modules.dep");
    if (loadable.isEmpty()) {
      return Presence.UNKNOWN;
    }
    return loadable.get().contains(file) ? Presence.AVAILABLE : Presence.ABSENT;
  }

  private static Finding core(Machine machine, String module, boolean devices) {
    String load = machine.sudo() + "modprobe " + module;
    return switch (presence(machine, module)) {
      case LOADED -> Finding.ok(module, "loaded");
      case AVAILABLE -> devices ? Finding.failure(module, "not loaded, so the RDMA devices here cannot be used", load)
        : Finding.warning(module, "not loaded; only RDMA devices need it", load);
      case ABSENT -> absent(machine, module);
      case UNKNOWN -> Finding.warning(module, "not loaded, and the modules of the kernel cannot be listed here. If there are RDMA "
        + "devices, load it on the host",
        load);
    };
  }

  private static Finding absent(Machine machine, String module) {
    List<String> ids = machine.distributions();
    String kernel = machine.kernel();
    int cloud = kernel.indexOf(CLOUD);
    if (ids.indexOf("debian") == 0 && cloud >= 0) {
      return Finding.warning(module,
        "this cloud kernel of Debian does not have the module; only RDMA devices need it. Debian's other kernel has it, after a reboot",
        machine.install("linux-image-" + kernel.substring(cloud + CLOUD.length()), ""));
    }
    boolean packaged = ids.indexOf("ubuntu") == 0 || ids.stream().anyMatch(Machine.FEDORA::contains);
    return Finding.warning(module, "this kernel does not have the module; only RDMA devices need it",
      packaged ? machine.install("linux-modules-extra-$(uname -r)", "kernel-modules") : "");
  }
}
