package io.github.vertxrdma.impl.support;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Bytes of objects of a process that can be reached: what a collector calls used has gaps. */
public final class ReachableHeap {
  private ReachableHeap() {
  }

  /** Now, after a collection. @param folder for a file, as this virtual machine stands still while it writes, and could not empty a pipe */
  public static long bytes(Path folder) throws IOException, InterruptedException {
    return bytes(folder, ProcessHandle.current().pid());
  }

  /** The same of a process of this user. */
  public static long bytes(Path folder, long pid) throws IOException, InterruptedException {
    Path histogram = folder.resolve("histogram");
    new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(), String.valueOf(pid),
      "GC.class_histogram").redirectOutput(histogram.toFile()).start().waitFor();
    List<String> lines = Files.readAllLines(histogram);
    long total = lines.stream().filter(line -> line.startsWith("Total")).mapToLong(line -> Long.parseLong(line.split("\\s+")[2]))
      .findFirst().orElseThrow();
    // Fillers are no objects: the collector puts them where there is none.
    long gaps = lines.stream().filter(line -> line.contains("FillerElement") || line.contains("FillerObject"))
      .mapToLong(line -> Long.parseLong(line.strip().split("\\s+")[2])).sum();
    return total - gaps;
  }
}
