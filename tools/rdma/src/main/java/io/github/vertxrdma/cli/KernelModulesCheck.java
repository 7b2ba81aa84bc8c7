package io.github.vertxrdma.cli;

import java.util.List;
import java.util.Optional;

final class KernelModulesCheck implements Check {
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

  @Override
  public List<Finding> run(Machine machine) {
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
