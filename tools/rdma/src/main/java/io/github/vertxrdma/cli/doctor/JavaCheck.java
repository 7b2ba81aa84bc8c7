package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.Machine;
import java.util.List;

final class JavaCheck implements Check {
  private static final int NEEDED = 25;
  private final int version;

  JavaCheck(int version) {
    this.version = version;
  }

  @Override
  public List<Finding> run(Machine machine) {
    String words = System.getProperty("java.vendor") + " " + System.getProperty("java.version") + " in " + System.getProperty("java.home");
    if (version < NEEDED) {
      return List.of(Finding.failure("JDK", words + " is older than " + NEEDED,
        machine.install("openjdk-" + NEEDED + "-jdk-headless", "java-" + NEEDED + "-openjdk-devel")));
    }
    if (!JavaCheck.class.getModule().isNativeAccessEnabled()) {
      return List.of(Finding.warning("JDK", words + "; native access is not enabled, so a warning shows",
        "java --enable-native-access=ALL-UNNAMED …"));
    }
    return List.of(Finding.ok("JDK", words));
  }
}
