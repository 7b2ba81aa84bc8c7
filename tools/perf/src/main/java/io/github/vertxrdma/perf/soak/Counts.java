package io.github.vertxrdma.perf.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Resources of a process; empty without /proc.
 *
 * @param descriptors open files and sockets, as named by the system
 * @param shared bytes of shared mappings
 */
record Counts(List<String> descriptors, long threads, long shared) {
  private static final Path SELF = Path.of("/proc/self");
  private static final Pattern SOCKET = Pattern.compile("socket:\\[(\\d+)]");
  /** File that is not counted, because the process keeps it open to read the machine's load. */
  private static final String LOAD = "/proc/loadavg";

  static Counts now() throws IOException {
    return new Counts(openFiles(), tasks(), sharedBytes());
  }

  private static List<String> openFiles() throws IOException {
    List<String> files = new ArrayList<>();
    if (Files.isDirectory(SELF.resolve("fd"))) {
      try (Stream<Path> all = Files.list(SELF.resolve("fd"))) {
        for (Path file : (Iterable<Path>) all::iterator) {
          try {
            String target = Files.readSymbolicLink(file).toString();
            if (!target.equals(LOAD)) {
              files.add(target);
            }
          } catch (NoSuchFileException e) {
            // The descriptor is closed now.
          }
        }
      }
    }
    return files;
  }

  private static long tasks() throws IOException {
    if (!Files.isDirectory(SELF.resolve("task"))) {
      return 0;
    }
    try (Stream<Path> files = Files.list(SELF.resolve("task"))) {
      return files.count();
    }
  }

  /** Adds up shared memory in proc_pid_maps(5). A line has addresses, rights with s for shared, offset, device, inode, file. */
  private static long sharedBytes() throws IOException {
    long bytes = 0;
    if (!Files.isReadable(SELF.resolve("maps"))) {
      return 0;
    }
    for (String line : Files.readAllLines(SELF.resolve("maps"))) {
      String[] word = line.split(" +", 6);
      if (word[1].endsWith("s") && word.length > 5 && word[5].startsWith("/memfd:")) {
        String[] addresses = word[0].split("-");
        bytes += Long.parseUnsignedLong(addresses[1], 16) - Long.parseUnsignedLong(addresses[0], 16);
      }
    }
    return bytes;
  }

  List<String> beyond(Counts before) {
    List<String> more = new ArrayList<>();
    if (descriptors.size() > before.descriptors.size()) {
      List<String> others = new ArrayList<>(descriptors);
      before.descriptors.forEach(others::remove);
      more.add(descriptors.size() + " file descriptors, before " + before.descriptors.size() + ", such as "
        + others.stream().map(Counts::described).toList());
    }
    add(more, "threads", threads, before.threads);
    add(more, "bytes of shared mappings", shared, before.shared);
    return more;
  }

  /** Adds the line of a socket in proc_net(5). A socket without a line was never bound or connected. */
  private static String described(String target) {
    Matcher socket = SOCKET.matcher(target);
    if (!socket.matches()) {
      return target;
    }
    for (String protocol : List.of("tcp", "tcp6", "udp", "udp6", "unix")) {
      try {
        for (String line : Files.readAllLines(SELF.resolve("net").resolve(protocol))) {
          if (List.of(line.strip().split(" +")).contains(socket.group(1))) {
            return target + " (" + protocol + " " + line.strip() + ")";
          }
        }
      } catch (IOException e) {
        // The system has no such protocol.
      }
    }
    return target + " (protocol unknown)";
  }

  private static void add(List<String> more, String what, long now, long before) {
    if (now > before) {
      more.add(now + " " + what + ", before " + before);
    }
  }
}
