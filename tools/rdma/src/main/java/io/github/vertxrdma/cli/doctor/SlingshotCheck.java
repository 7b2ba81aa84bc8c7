package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.FabricAdapter;
import io.github.vertxrdma.cli.machine.Machine;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Checks what Slingshot adapters need besides libfabric; fi_cxi(7). */
final class SlingshotCheck implements Check {
  private static final String SERVICES = "SLINGSHOT_SVC_IDS";
  private static final String NETWORKS = "SLINGSHOT_VNIS";
  private static final String DEVICES = "SLINGSHOT_DEVICES";

  @Override
  public List<Finding> run(Machine machine) {
    List<Finding> findings = new ArrayList<>();
    List<FabricAdapter> adapters = FabricAdapter.of(machine, FabricAdapter.CXI);
    for (FabricAdapter adapter : adapters) {
      String file = "/dev/" + adapter.name();
      findings.add(machine.exists("/sys/class/cxi_user/" + adapter.name()) ? DeviceFilesCheck.file(machine, file, "cxi-user")
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
}
