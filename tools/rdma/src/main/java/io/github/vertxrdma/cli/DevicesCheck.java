package io.github.vertxrdma.cli;

import io.github.vertxrdma.cli.doctor.Check;
import io.github.vertxrdma.cli.doctor.Finding;
import io.github.vertxrdma.cli.machine.Machine;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Checks whether each device that a provider found opens and passes its self-test, and names those that most machines have. */
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
    found.providers().stream().filter(Survey.Found::noticed).flatMap(provider -> provider.unavailable().stream())
      .forEach(missing -> findings.add(new Finding(Finding.Level.WARNING, missing.what(), "cannot be used: " + missing.reason(),
        missing.remedy())));
    if (found.usable().isEmpty()) {
      findings.add(Finding.failure("devices", "none can be used", "./rdma info"));
    }
    return findings;
  }
}
