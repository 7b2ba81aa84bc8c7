package io.github.vertxrdma.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

final class MeasuredMachine {
  private MeasuredMachine() {
  }

  static String name() {
    return System.getProperty("os.name") + " " + release() + ", " + System.getProperty("os.arch") + ", "
      + Runtime.getRuntime().availableProcessors() + " processors, " + model() + ", Java " + Runtime.version();
  }

  private static String model() {
    try {
      return Files.readAllLines(Path.of("/proc/cpuinfo")).stream().filter(line -> line.startsWith("model name"))
        .map(line -> line.substring(line.indexOf(':') + 1).strip()).findFirst().orElse("unknown model");
    } catch (IOException e) {
      return "unknown model";
    }
  }

  private static String release() {
    try {
      return Files.readAllLines(Path.of("/etc/os-release")).stream().filter(line -> line.startsWith("PRETTY_NAME="))
        .map(line -> line.substring(12).replace("\"", "")).findFirst().orElse(System.getProperty("os.version"));
    } catch (IOException e) {
      return System.getProperty("os.version");
    }
  }
}
