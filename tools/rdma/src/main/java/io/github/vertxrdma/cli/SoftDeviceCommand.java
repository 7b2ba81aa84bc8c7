package io.github.vertxrdma.cli;

import io.github.vertxrdma.cli.machine.KernelModule;
import io.github.vertxrdma.cli.machine.KernelModule.Presence;
import io.github.vertxrdma.cli.machine.Machine;
import io.github.vertxrdma.cli.machine.RdmaPort;
import io.github.vertxrdma.cli.machine.Shell;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

final class SoftDeviceCommand {
  /** Network device that is created if there is none: both ends are then on this machine. */
  private static final String DUMMY = "rdma-dummy";
  private static final String DUMMY_ADDRESS = "10.98.76.1/24";
  private static final String NETDEVS = "/sys/class/net/";
  private static final String LINKS = "/sys/class/infiniband/";

  private final SoftDevice kind;
  private final Machine machine;
  private final Shell shell;
  private final PrintStream out;

  SoftDeviceCommand(SoftDevice kind, Machine machine, Shell shell, PrintStream out) {
    this.kind = kind;
    this.machine = machine;
    this.shell = shell;
    this.out = out;
  }

  /**
   * @param given the network device; empty for the default route's device
   * @return exit status
   */
  int up(String given) {
    if (machine.exists(LINKS + kind.device())) {
      out.println(kind.device() + " is up already");
      return 0;
    }
    load();
    needRoot("up");
    String netdev = given.isEmpty() ? routed().orElse(DUMMY) : given;
    boolean makes = given.isEmpty() && netdev.equals(DUMMY) && !machine.exists(NETDEVS + DUMMY);
    try {
      if (makes) {
        makeDummy();
      }
      add(netdev);
    } catch (CommandException e) {
      // The next call would use an incomplete device unchanged.
      if (makes && machine.exists(NETDEVS + DUMMY)) {
        shell.run(List.of("ip", "link", "delete", DUMMY));
      }
      throw e;
    }
    Optional<RdmaPort> port = RdmaPort.all(machine).stream().filter(any -> any.device().equals(kind.device())).findFirst();
    out.println(kind.device() + " is up on " + netdev + port.map(any -> any.active() ? ", link active" : ", link " + any.state())
      .orElse(""));
    out.println("it pins registered memory, and the memlock limit applies to root too: run ulimit -l unlimited");
    if (kind == SoftDevice.RXE && !firstNamespace()) {
      out.println("this is not the first network namespace of the machine, and connections over rxe work only in the first");
    }
    return 0;
  }

  private void add(String netdev) {
    if (netdev.equals("lo")) {
      throw new CommandException("cannot use lo: it has no hardware address, so nothing could connect. Name another network "
        + "interface, or none");
    }
    if (!machine.exists(NETDEVS + netdev)) {
      throw new CommandException("there is no network device '" + netdev + "'; there are " + String.join(", ", machine.list(NETDEVS)));
    }
    must("rdma", "link", "add", kind.device(), "type", kind.type, "netdev", netdev);
  }

  /** @return exit status */
  int down() {
    if (!machine.exists(LINKS + kind.device())) {
      out.println("there is no " + kind.device());
    } else {
      needRoot("down");
      must("rdma", "link", "delete", kind.device());
      out.println(kind.device() + " is removed");
    }
    boolean used = Arrays.stream(SoftDevice.values()).anyMatch(other -> other != kind && machine.exists(LINKS + other.device()));
    if (!used && machine.exists(NETDEVS + DUMMY)) {
      must("ip", "link", "delete", DUMMY);
    }
    return 0;
  }

  private void load() {
    Presence presence = new KernelModule(kind.module).presence(machine);
    if (presence == Presence.ABSENT) {
      throw new CommandException(kind.absent(machine.kernel()));
    }
    if (presence != Presence.LOADED) {
      needRoot("up");
      Shell.Result loaded = shell.run(List.of("modprobe", kind.module));
      if (!loaded.ok() && presence == Presence.UNKNOWN) {
        throw new CommandException(
          "the module " + kind.module + " is not loaded, and cannot be loaded from here. On the host, run as root: modprobe "
            + kind.module + " (if the host lacks it: " + kind.otherwise() + ")");
      }
      refuse(loaded, List.of("modprobe", kind.module));
    }
    // Without these two modules, verbs programs do not find the device.
    for (String module : List.of("ib_uverbs", "rdma_ucm")) {
      if (new KernelModule(module).presence(machine) != Presence.LOADED) {
        shell.run(List.of("modprobe", module));
      }
    }
  }

  private Optional<String> routed() {
    return machine.read("/proc/net/route").stream().flatMap(String::lines).map(line -> line.split("\\s+"))
      .filter(columns -> columns.length > 1 && columns[1].equals("00000000")).map(columns -> columns[0]).findFirst();
  }

  private void makeDummy() {
    must("ip", "link", "add", DUMMY, "type", "dummy");
    must("ip", "address", "add", DUMMY_ADDRESS, "dev", DUMMY);
    must("ip", "link", "set", DUMMY, "up");
    out.println("there is no default route, so a network interface " + DUMMY + " (" + DUMMY_ADDRESS + ") is created, which reaches "
      + "this machine only");
  }

  private boolean firstNamespace() {
    return machine.link("/proc/self/ns/net").equals(machine.link("/proc/1/ns/net"));
  }

  private void needRoot(String what) {
    if (!machine.root()) {
      throw new CommandException("this command needs root: sudo ./rdma " + kind.type + " " + what);
    }
  }

  private void must(String... command) {
    refuse(shell.run(List.of(command)), List.of(command));
  }

  private void refuse(Shell.Result result, List<String> command) {
    if (result.status() == 127) {
      throw new CommandException("there is no command " + command.get(0) + "; " + machine.install(command.get(0)
        .equals("modprobe") ? "kmod" : "iproute2",
        command.get(0).equals("modprobe") ? "kmod" : "iproute"));
    }
    if (!result.ok()) {
      throw new CommandException(String.join(" ", command) + " failed: " + result.output()
        + (result.output().contains("not permitted") ? " (a container needs --cap-add NET_ADMIN)" : ""));
    }
  }
}
