package io.github.vertxrdma.cli.machine;

import java.util.Optional;

/** @param name name for modprobe(8), with underscores */
public record KernelModule(String name) {

  public enum Presence {
    /** Loaded, or part of the kernel. */
    LOADED,
    AVAILABLE,
    ABSENT,
    /** The modules of the kernel are not visible, as in most containers. */
    UNKNOWN
  }

  public Presence presence(Machine machine) {
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
}
