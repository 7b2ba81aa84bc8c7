package io.github.vertxrdma.demo;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The command line of the share demo.
 *
 * @param file what to share
 * @param fabric the one fabric to use, null for the best
 * @param limit MiB per second that a guest fetches at most, 0 for no limit
 * @param node which node this process is, null for the one that starts them
 * @param place where it is
 */
record ShareArguments(Path file, String fabric, double limit, String node, Place place) implements NodeDemo.Arguments {
  static final List<String> FABRICS = List.of("nio", "tcp", "rxm", "net", "shm", "fi-shm", "efa-profile", "tcp-1.11-profile");

  static ShareArguments parse(String... args) throws UsageException {
    Path file = null;
    String fabric = null;
    double limit = 0;
    String node = null;
    Place.Parser place = new Place.Parser();
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--fabric" -> fabric = CommandLine.value(args, ++i);
        case "--limit" -> limit = rate(CommandLine.value(args, ++i));
        case "--node" -> node = CommandLine.value(args, ++i);
        default -> {
          if (place.takes(args, i)) {
            i++;
            continue;
          }
          if (args[i].startsWith("-") || file != null) {
            throw new UsageException("unexpected argument '" + args[i] + "'; see ./rdma demo --help");
          }
          file = Path.of(args[i]);
        }
      }
    }
    return new ShareArguments(readable(file == null ? ofJdk() : file), fabric, limit, node, place.place(node));
  }

  private static double rate(String text) throws UsageException {
    try {
      double rate = Double.parseDouble(text);
      if (rate > 0 && rate < 1e9) {
        return rate;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new UsageException("--limit " + text + ": a number of MiB/s above 0");
  }

  private static Path readable(Path file) throws UsageException {
    if (!Files.exists(file)) {
      // A word that looks like no path may be a demo that is misspelt.
      throw new UsageException("there is no file " + file + (file.toString().matches("[a-z]+")
        ? ", and no such demo; see ./rdma demo --help" : ""));
    }
    if (!Files.isRegularFile(file)) {
      throw new UsageException(file + " is not a file");
    }
    if (!Files.isReadable(file)) {
      throw new UsageException(file + " cannot be read by this user");
    }
    if (file.toFile().length() == 0) {
      throw new UsageException(file + " is empty; there is nothing to share");
    }
    return file;
  }

  /** A file of tens of MiB that every JDK has: its virtual machine. */
  private static Path ofJdk() {
    Path home = Path.of(System.getProperty("java.home"));
    return List.of("lib/server/libjvm.so", "lib/server/libjvm.dylib", "bin/server/jvm.dll").stream().map(home::resolve)
      .filter(Files::isRegularFile).findFirst().orElse(home.resolve("lib/modules"));
  }
}
