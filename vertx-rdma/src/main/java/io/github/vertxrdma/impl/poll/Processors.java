package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.impl.process.NumaNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Processors of the machine, including those that this process may not use. */
final class Processors {
  private Processors() {
  }

  static int online() {
    try {
      return NumaNode.processors(Files.readString(Path.of("/sys/devices/system/cpu/online"))).cardinality();
    } catch (IOException | IllegalArgumentException e) {
      return Runtime.getRuntime().availableProcessors();
    }
  }
}
