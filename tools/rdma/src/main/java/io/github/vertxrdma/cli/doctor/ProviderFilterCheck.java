package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.FabricAdapter;
import io.github.vertxrdma.cli.machine.Machine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Checks whether variables hide the provider of an adapter from libfabric; fabric(7). */
final class ProviderFilterCheck implements Check {
  private static final String FILTER = "FI_PROVIDER";
  private static final String PATH = "FI_PROVIDER_PATH";

  @Override
  public List<Finding> run(Machine machine) {
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
        findings.add(Finding.failure(PATH, "libfabric looks for providers at " + place + ", where no " + (library ? "library" : "folder")
          + " is", "unset " + PATH));
      }
    }
    return findings;
  }

  /** Names of providers are separated by commas; with ^ before them all others are used. */
  private static boolean hides(String filter, String provider) {
    boolean negated = filter.startsWith("^");
    boolean named = Arrays.stream((negated ? filter.substring(1) : filter).split(","))
      .anyMatch(name -> name.strip().equalsIgnoreCase(provider));
    return negated == named;
  }
}
