package io.github.vertxrdma.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

final class AdapterChecks {
  private static final String VERBS_FOLDER = "/dev/infiniband";
  private static final String EFA_DRIVER = "/etc/libibverbs.d/efa.driver";
  private static final String FORK_SAFE = "FI_EFA_FORK_SAFE";
  private static final String MECHANISM = "jdk.lang.Process.launchMechanism=FORK";
  private static final Set<String> TRUE = Set.of("1", "on", "true", "yes");
  private static final List<String> JAVA_OPTIONS = List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS");
  private static final String SERVICES = "SLINGSHOT_SVC_IDS";
  private static final String NETWORKS = "SLINGSHOT_VNIS";
  private static final String DEVICES = "SLINGSHOT_DEVICES";
  private static final String FILTER = "FI_PROVIDER";
  private static final String PATH = "FI_PROVIDER_PATH";

  private AdapterChecks() {
  }

  static List<Finding> deviceFiles(Machine machine) {
    List<String> devices = machine.list("/sys/class/infiniband");
    if (devices.isEmpty()) {
      return FabricAdapter.all(machine).isEmpty() ? List.of(Finding.ok("RDMA devices", "none; shm and nio need none")) : List.of();
    }
    if (!machine.exists(VERBS_FOLDER)) {
      return List.of(Finding.failure(VERBS_FOLDER, "is missing, although the kernel has RDMA devices: ib_uverbs is not loaded, or the "
        + "folder was not passed to this container (docker run --device …)",
        machine.sudo() + "modprobe -a ib_uverbs rdma_ucm"));
    }
    List<String> wanted = new ArrayList<>();
    for (String device : machine.list("/sys/class/infiniband_verbs")) {
      if (device.startsWith("uverbs")) {
        wanted.add(device);
      }
    }
    if (!devices.stream().allMatch(device -> FabricAdapter.isEfa(machine, device))) {
      wanted.add("rdma_cm");
    }
    return wanted.stream().map(name -> file(machine, VERBS_FOLDER + "/" + name, name.equals("rdma_cm") ? "rdma_ucm" : "ib_uverbs"))
      .toList();
  }

  static Finding file(Machine machine, String file, String module) {
    if (!machine.exists(file)) {
      return Finding.failure(file, "is missing: its module is not loaded, or the file was not passed to this container (docker run "
        + "--device "
        + file + ")",
        machine.sudo() + "modprobe " + module);
    }
    return Files.isReadable(machine.path(file)) && Files.isWritable(machine.path(file)) ? Finding.ok(file, "can be opened")
      : Finding.failure(file, "this user may not open it for reading and writing", machine.sudo() + "chmod 666 " + file);
  }

  /** Checks what Elastic Fabric Adapters need besides their device files; fi_efa(7). */
  static List<Finding> efa(Machine machine) {
    if (FabricAdapter.of(machine, FabricAdapter.EFA).isEmpty()) {
      return List.of();
    }
    List<Finding> findings = new ArrayList<>();
    findings.add(machine.exists(EFA_DRIVER) ? Finding.ok("EFA driver", EFA_DRIVER)
      : Finding.failure("EFA driver", EFA_DRIVER + " is missing, so libibverbs cannot open an EFA device",
        machine.install("ibverbs-providers", "libibverbs")));
    findings
      .add(Finding.ok("EFA wake-ups", "libfabric up to 2.6 has none: a sleeping event loop polls after 1 to 20 ms. To avoid that, use "
        + "-Dvertx.rdma.poll=busy"));
    findings
      .add(Finding.ok("EFA security group", "cannot be read from here; it must allow all traffic of its own members in both directions"));
    boolean forkSafe = TRUE.contains(machine.variable(FORK_SAFE));
    boolean hugePages = machine.number("/proc/sys/vm/nr_hugepages", 0) > 0;
    for (String options : JAVA_OPTIONS) {
      if (machine.variable(options).contains(MECHANISM) && !forkSafe && isBefore(machine.kernel(), 5, 13)) {
        findings
          .add(Finding.failure("EFA and fork", options + " makes Java start processes by fork(2), which ends a process that uses EFA on"
            + " kernel " + machine.kernel(), "unset " + options));
      }
    }
    if (forkSafe && hugePages) {
      findings.add(Finding.warning("EFA and fork", FORK_SAFE + " is set, with which memory in huge pages cannot be registered",
        "unset " + FORK_SAFE));
    }
    return findings;
  }

  private static boolean isBefore(String kernel, int major, int minor) {
    String[] numbers = kernel.split("[^0-9]+", 3);
    if (numbers.length < 2 || numbers[0].isEmpty() || numbers[1].isEmpty()) {
      return false;
    }
    int first = Integer.parseInt(numbers[0]);
    return first < major || first == major && Integer.parseInt(numbers[1]) < minor;
  }

  /** Checks what Slingshot adapters need besides libfabric; fi_cxi(7). */
  static List<Finding> slingshot(Machine machine) {
    List<Finding> findings = new ArrayList<>();
    List<FabricAdapter> adapters = FabricAdapter.of(machine, FabricAdapter.CXI);
    for (FabricAdapter adapter : adapters) {
      String file = "/dev/" + adapter.name();
      findings.add(machine.exists("/sys/class/cxi_user/" + adapter.name()) ? file(machine, file, "cxi-user")
        : Finding.failure(file, "the driver of Slingshot for users is not loaded", machine.sudo() + "modprobe cxi-user"));
    }
    if (!adapters.isEmpty()) {
      findings.add(service(machine));
      List<String> given = Arrays.stream(machine.variable(DEVICES).split(",")).map(String::strip).filter(name -> !name.isEmpty()).toList();
      List<String> here = adapters.stream().map(FabricAdapter::name).toList();
      given.stream().filter(name -> !here.contains(name)).forEach(name -> findings.add(Finding.failure(DEVICES,
        name + " is not an adapter of this machine, which has " + String.join(", ", here), "unset " + DEVICES)));
    }
    return findings;
  }

  private static Finding service(Machine machine) {
    String services = machine.variable(SERVICES);
    String networks = machine.variable(NETWORKS);
    if (services.isEmpty() != networks.isEmpty()) {
      String missing = services.isEmpty() ? SERVICES : NETWORKS;
      return Finding.failure("CXI service", missing + " is not set, though a job launcher sets both " + SERVICES + " and " + NETWORKS,
        "unset " + (services.isEmpty() ? NETWORKS : SERVICES));
    }
    return services.isEmpty()
      ? Finding.warning("CXI service",
        "no job launcher has set " + SERVICES + " and " + NETWORKS + ", so the default service is used, which an"
          + " administrator may have disabled (cxi_service list)",
        machine.sudo() + "cxi_service enable -s 1")
      : Finding.ok("CXI service", services + " with VNI " + networks);
  }

  /** Checks whether variables hide the provider of an adapter from libfabric; fabric(7). */
  static List<Finding> providerFilter(Machine machine) {
    List<Finding> findings = new ArrayList<>();
    String filter = machine.variable(FILTER);
    FabricAdapter.all(machine).stream().filter(adapter -> !filter.isEmpty() && hides(filter, adapter.provider()))
      .forEach(adapter -> findings.add(Finding.failure(FILTER,
        "its value " + filter + " hides the provider " + adapter.provider() + " of the adapter " + adapter.name(), "unset " + FILTER)));
    String path = machine.variable(PATH);
    for (String place : (path.startsWith("@") ? path.substring(1) : path).split(":")) {
      boolean library = place.startsWith("+");
      Path file = library || place.startsWith("/") ? machine.path(library ? place.substring(1) : place) : null;
      if (file != null && !(library ? Files.isRegularFile(file) : Files.isDirectory(file))) {
        findings.add(Finding.failure(PATH, "libfabric looks for providers at " + place + ", which is not a "
          + (library ? "library" : "folder"), "unset " + PATH));
      }
    }
    return findings;
  }

  /** Returns whether a filter hides a provider. A filter lists provider names separated by commas, or the hidden ones after ^. */
  private static boolean hides(String filter, String provider) {
    boolean negated = filter.startsWith("^");
    boolean named = Arrays.stream((negated ? filter.substring(1) : filter).split(","))
      .anyMatch(name -> name.strip().equalsIgnoreCase(provider));
    return negated == named;
  }
}
