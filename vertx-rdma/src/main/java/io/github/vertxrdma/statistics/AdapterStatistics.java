package io.github.vertxrdma.statistics;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counters of a network adapter, which include the traffic of all processes since the adapter was reset.
 *
 * @param folders folders in sysfs with the counters, on the node's host
 * @param counters by name; empty until {@link #read}
 */
public record AdapterStatistics(String device, List<String> folders, List<AdapterCounter> counters) {
  /** File with the milliseconds for which Linux caches counters; drivers/infiniband/core/sysfs.c. */
  private static final String LIFESPAN = "lifespan";

  /** Returns the same adapter with the present values of its counters. Works only on the node's host. Blocks for milliseconds. */
  public AdapterStatistics read() {
    // Some drivers have a counter in two folders.
    Map<String, Long> found = new TreeMap<>();
    for (String folder : folders) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of(folder))) {
        for (Path file : files) {
          read(file, found);
        }
      } catch (IOException e) {
        // The device was removed.
      }
    }
    return new AdapterStatistics(device, folders,
      found.entrySet().stream().map(each -> new AdapterCounter(each.getKey(), each.getValue())).toList());
  }

  private static void read(Path file, Map<String, Long> into) {
    String name = file.getFileName().toString();
    if (!name.equals(LIFESPAN)) {
      try {
        into.putIfAbsent(name, Long.parseUnsignedLong(Files.readString(file).strip()));
      } catch (IOException | NumberFormatException e) {
        // Drivers have files for counters that the adapter lacks: their read fails with EINVAL, or returns a text.
      }
    }
  }
}
