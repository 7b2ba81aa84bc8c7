package io.github.vertxrdma.impl.loop;

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
      return count(Files.readString(Path.of("/sys/devices/system/cpu/online")));
    } catch (IOException | NumberFormatException e) {
      return Runtime.getRuntime().availableProcessors();
    }
  }

  /** @param list as in {@code 0-3,8,10-11} */
  static int count(String list) {
    int count = 0;
    for (String range : list.strip().split(",")) {
      int dash = range.indexOf('-');
      int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
      count += dash < 0 ? 1 : Integer.parseInt(range.substring(dash + 1)) - first + 1;
    }
    return count;
  }
}
