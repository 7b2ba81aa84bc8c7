package io.github.vertxrdma.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Checks whether each device opens and passes its self-test. */
final class DevicesCheck implements Check {
  private final Supplier<Survey> survey;

  DevicesCheck(Supplier<Survey> survey) {
    this.survey = survey;
  }

  @Override
  public List<Finding> run(Machine machine) {
    List<Finding> findings = new ArrayList<>();
    Survey found = survey.get();
    found.providers().forEach(provider -> provider.devices().forEach(device -> findings.add(device.opens()
      ? Finding.ok(device.name(), "opens (" + provider.name() + ")")
      : Finding.failure(device.name(), device.failure(), "./rdma info"))));
    found.providers().stream().filter(Survey.Found::noticed).flatMap(provider -> provider.unavailable().stream())
      .forEach(missing -> findings.add(Finding.warning(missing.what(), "cannot be used: " + missing.reason(),
        missing.remedy())));
    for (FabricAdapter adapter : FabricAdapter.all(machine)) {
      String name = adapter.provider() + ":" + adapter.name();
      if (found.providers().stream().flatMap(provider -> provider.devices().stream())
        .noneMatch(device -> device.name().equals(name) || device.name().startsWith(name + "-"))) {
        findings.add(Finding.failure(adapter.name(), "the kernel has this adapter, but libfabric has no device " + name
          + ": its library lacks the provider " + adapter.provider() + ", or the provider cannot use the adapter",
          adapter.provider().equals(FabricAdapter.EFA) ? "fi_info -p efa, and the EFA installer if the provider is missing"
            : "export VERTX_RDMA_LIBFABRIC=/opt/cray/libfabric/VERSION/lib64/libfabric.so.1"));
      }
    }
    if (found.usable().isEmpty()) {
      findings.add(Finding.failure("devices", "none can be used", "./rdma info"));
    }
    return findings;
  }
}
