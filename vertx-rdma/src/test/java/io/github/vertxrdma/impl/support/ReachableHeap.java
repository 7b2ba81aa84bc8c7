package io.github.vertxrdma.impl.support;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Bytes of the reachable objects of a process. The used bytes that a collector reports include gaps. */
public final class ReachableHeap {
  private static final long PATIENCE_MILLIS = 60_000;

  private ReachableHeap() {
  }

  /**
   * Collects garbage first.
   *
   * @param folder for a file, since this virtual machine stands still meanwhile and could not empty a pipe
   */
  public static long bytes(Path folder) throws IOException, InterruptedException {
    return bytes(folder, ProcessHandle.current().pid());
  }

  public static long bytes(Path folder, long pid) throws IOException, InterruptedException {
    Path histogram = folder.resolve("histogram");
    List<String> lines = histogram(histogram, pid);
    for (long start = System.nanoTime(); lines.stream().noneMatch(ReachableHeap::isTotal); lines = histogram(histogram, pid)) {
      assertTrue(System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS), lines::toString);
    }
    long total = lines.stream().filter(ReachableHeap::isTotal).mapToLong(line -> Long.parseLong(line.split("\\s+")[2])).findFirst()
      .orElseThrow();
    // Fillers are no objects: the collector puts them into gaps.
    long gaps = lines.stream().filter(line -> line.contains("FillerElement") || line.contains("FillerObject"))
      .mapToLong(line -> Long.parseLong(line.strip().split("\\s+")[2])).sum();
    return total - gaps;
  }

  private static boolean isTotal(String line) {
    return line.startsWith("Total");
  }

  private static List<String> histogram(Path file, long pid) throws IOException, InterruptedException {
    new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(), String.valueOf(pid),
      "GC.class_histogram").redirectErrorStream(true).redirectOutput(file.toFile()).start().waitFor();
    return Files.readAllLines(file);
  }
}
