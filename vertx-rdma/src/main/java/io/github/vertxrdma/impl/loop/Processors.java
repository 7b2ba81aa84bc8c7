package io.github.vertxrdma.impl.loop;

import io.github.vertxrdma.impl.process.NumaNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The processors of the machine, whichever of them this process may use. */
final class Processors {
  private Processors() {
  }

  /** As Linux tells, sysfs(5); elsewhere those that Java sees. */
  static int online() {
    try {
      return NumaNode.processors(Files.readString(Path.of("/sys/devices/system/cpu/online"))).cardinality();
    } catch (IOException | IllegalArgumentException e) {
      return Runtime.getRuntime().availableProcessors();
    }
  }
}
