package io.github.vertxrdma.impl.process;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;

/** NUMA node that a thread is bound to: sched_setaffinity(2), cpuset(7), /sys/devices/system/node. */
public final class NumaNode {
  /** Value for threads that may use several nodes, and for hosts with one. */
  public static final int NONE = -1;
  private static final String ALLOWED = "Cpus_allowed_list:";

  private NumaNode() {
  }

  /** Returns the NUMA node of all processors that the calling thread may use, or {@link #NONE}. Reads small kernel files. */
  public static int ofThread() {
    return of(Path.of("/proc/thread-self/status"), Path.of("/sys/devices/system/node"));
  }

  static int of(Path status, Path nodes) {
    try {
      BitSet allowed = Files.readAllLines(status).stream().filter(line -> line.startsWith(ALLOWED)).findFirst()
        .map(line -> processors(line.substring(ALLOWED.length()))).orElseGet(BitSet::new);
      int found = NONE;
      int count = 0;
      try (DirectoryStream<Path> all = Files.newDirectoryStream(nodes, "node[0-9]*")) {
        for (Path node : all) {
          count++;
          BitSet rest = (BitSet) allowed.clone();
          rest.andNot(processors(Files.readString(node.resolve("cpulist"))));
          if (!allowed.isEmpty() && rest.isEmpty()) {
            found = Integer.parseInt(node.getFileName().toString().substring("node".length()));
          }
        }
      }
      return count > 1 ? found : NONE;
    } catch (IOException | IllegalArgumentException e) {
      return NONE;
    }
  }

  /** Parses a processor list of the kernel, such as {@code 0-3,8}. */
  public static BitSet processors(String list) {
    BitSet all = new BitSet();
    for (String range : list.trim().split(",")) {
      if (!range.isEmpty()) {
        String[] ends = range.split("-");
        all.set(Integer.parseInt(ends[0].trim()), Integer.parseInt(ends[ends.length - 1].trim()) + 1);
      }
    }
    return all;
  }
}
