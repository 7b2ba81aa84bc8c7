package io.github.vertxrdma.impl.support;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Bytes of objects of this process that can be reached: what a collector calls used has gaps. */
public final class ReachableHeap {
  private ReachableHeap() {
  }

  /** Now, after a collection. @param folder for a file, as this virtual machine stands still while it writes, and could not empty a pipe */
  public static long bytes(Path folder) throws IOException, InterruptedException {
    Path histogram = folder.resolve("histogram");
    new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(), String.valueOf(ProcessHandle.current().pid()),
      "GC.class_histogram").redirectOutput(histogram.toFile()).start().waitFor();
    String total = Files.readAllLines(histogram).stream().filter(line -> line.startsWith("Total")).findFirst().orElseThrow();
    return Long.parseLong(total.split("\\s+")[2]);
  }
}
