package io.github.vertxrdma.cli;

import io.github.vertxrdma.cli.doctor.Check;
import io.github.vertxrdma.cli.doctor.Finding;
import io.github.vertxrdma.cli.machine.Machine;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Checks whether each device that a provider found opens and passes its self-test. */
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
      ? new Finding(Finding.Level.OK, device.name(), "opens (" + provider.name() + ")", "")
      : Finding.failure(device.name(), device.failure(), "./rdma info"))));
    if (found.usable().isEmpty()) {
      findings.add(Finding.failure("devices", "none can be used", "./rdma info"));
    }
    return findings;
  }
}
