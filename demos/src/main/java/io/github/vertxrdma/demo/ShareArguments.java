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
 * @param port first port of the cluster, for nodes
 * @param host this node's own address, null for one machine's loopback address
 * @param members addresses of the nodes' hosts, this one's included; empty for one machine
 */
record ShareArguments(Path file, String fabric, double limit, String node, int port, String host, List<String> members)
  implements NodeDemo.Arguments {
  static final List<String> FABRICS = List.of("nio", "tcp", "rxm", "net", "shm", "efa-profile", "tcp-1.11-profile");

  static ShareArguments parse(String... args) throws UsageException {
    Path file = null;
    String fabric = null;
    double limit = 0;
    String node = null;
    int port = 0;
    String host = null;
    List<String> members = List.of();
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--fabric" -> fabric = CommandLine.value(args, ++i);
        case "--limit" -> limit = rate(CommandLine.value(args, ++i));
        case "--node" -> node = CommandLine.value(args, ++i);
        case "--port" -> port = Integer.parseInt(CommandLine.value(args, ++i));
        case "--host" -> host = CommandLine.value(args, ++i);
        case "--members" -> members = List.of(CommandLine.value(args, ++i).split(","));
        default -> {
          if (args[i].startsWith("-") || file != null) {
            throw new UsageException("unexpected argument '" + args[i] + "'; see ./rdma demo --help");
          }
          file = Path.of(args[i]);
        }
      }
    }
    if ((host != null || !members.isEmpty()) && (node == null || host == null || !members.contains(host))) {
      throw new UsageException("--host is the address of the one --node that is started here, and one of --members");
    }
    return new ShareArguments(readable(file == null ? ofJdk() : file), fabric, limit, node, port == 0 && node != null ? 5701 : port, host,
      members);
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
      throw new UsageException("there is no file " + file);
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
