package io.github.vertxrdma.provider.contract;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** A snapshot of open file descriptors by kind, and of the counts of all {@link ResourceProbe}s. */
public final class Leaks {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  static {
    // At the first close of a listening channel, the JDK opens a socket and keeps it.
    try {
      ServerSocketChannel.open().close();
    } catch (IOException e) {
      // No listening channel was closed.
    }
  }

  private final Map<String, Long> counts;

  private Leaks(Map<String, Long> counts) {
    this.counts = counts;
  }

  public static Leaks snapshot() {
    Map<String, Long> counts = new TreeMap<>();
    descriptors(counts);
    for (ResourceProbe probe : ServiceLoader.load(ResourceProbe.class, Leaks.class.getClassLoader())) {
      counts.putAll(probe.counts());
    }
    return new Leaks(counts);
  }

  private static void descriptors(Map<String, Long> counts) {
    if (!Files.isDirectory(DESCRIPTORS)) {
      return;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(DESCRIPTORS)) {
      for (Path entry : entries) {
        String target = target(entry);
        // Ignores regular files, which class loading opens at any time. Fabrics use sockets, event fds and devices.
        if (!target.isEmpty() && (!target.startsWith("/") || target.startsWith("/dev/infiniband"))) {
          counts.merge("fd " + target.replaceAll("\\[?[0-9]+]?$", ""), 1L, Long::sum);
        }
      }
    } catch (IOException e) {
      counts.put("unreadable /proc/self/fd", 1L);
    }
  }

  private static String target(Path entry) {
    try {
      return Files.readSymbolicLink(entry).toString();
    } catch (IOException e) {
      return "";
    }
  }

  public Map<String, Long> grown() {
    Map<String, Long> grown = new TreeMap<>();
    snapshot().counts.forEach((what, count) -> {
      long more = count - counts.getOrDefault(what, 0L);
      if (more > 0) {
        grown.put(what, more);
      }
    });
    return grown;
  }

  public void assertNoneSince() {
    Await.until("nothing left over", () -> grown().isEmpty(), () -> 0, () -> "left over: " + grown());
  }

  @Override
  public String toString() {
    return counts.toString();
  }
}
