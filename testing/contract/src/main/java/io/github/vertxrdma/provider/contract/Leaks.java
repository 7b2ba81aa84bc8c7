package io.github.vertxrdma.provider.contract;

import java.io.File;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** A snapshot of open file descriptors by kind, and of the counts of all {@link ResourceProbe}s. */
public final class Leaks {
  private static final File DESCRIPTORS = new File("/proc/self/fd");

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
    for (String target : descriptors()) {
      // Ignores regular files, which class loading opens at any time. Fabrics use sockets, event fds and devices.
      if (!target.startsWith("/") || target.startsWith("/dev/infiniband")) {
        counts.merge("fd " + target.replaceAll("\\[?[0-9]+]?$", ""), 1L, Long::sum);
      }
    }
    for (ResourceProbe probe : ServiceLoader.load(ResourceProbe.class, Leaks.class.getClassLoader())) {
      counts.putAll(probe.counts());
    }
    return new Leaks(counts);
  }

  /** Returns the targets of this process's open file descriptors, such as {@code socket:[4026]}; proc_pid_fd(5). */
  public static List<String> descriptors() {
    List<String> targets = new ArrayList<>();
    File[] entries = DESCRIPTORS.listFiles();
    if (entries == null) {
      return DESCRIPTORS.exists() ? List.of("unreadable") : targets;
    }
    for (File entry : entries) {
      try {
        targets.add(Files.readSymbolicLink(entry.toPath()).toString());
      } catch (IOException e) {
        // The descriptor was closed meanwhile, such as that of the directory listing.
      }
    }
    return targets;
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
