package io.github.vertxrdma.demo;

import io.github.vertxrdma.demo.ShareArguments.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The command line of the functions demo.
 *
 * @param folder whose files to work on
 * @param fabric the one fabric to use, null for the best
 * @param workers of each node
 * @param limit MiB of the folder at most
 * @param node which node this process is, null for the one that starts them
 * @param port first port of the cluster, for nodes
 */
record FunctionsArguments(Path folder, String fabric, int workers, int limit, String node, int port) {

  static FunctionsArguments parse(String... args) throws UsageException {
    Path folder = null;
    String fabric = null;
    int workers = Math.max(1, Runtime.getRuntime().availableProcessors() / 3);
    int limit = 48;
    String node = null;
    int port = 0;
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--fabric" -> fabric = ShareArguments.value(args, ++i);
        case "--workers" -> workers = count(args, ++i);
        case "--limit" -> limit = count(args, ++i);
        case "--node" -> node = ShareArguments.value(args, ++i);
        case "--port" -> port = Integer.parseInt(ShareArguments.value(args, ++i));
        default -> {
          if (args[i].startsWith("-") || folder != null) {
            throw new UsageException("unexpected argument '" + args[i] + "'; see ./rdma demo --help");
          }
          folder = Path.of(args[i]);
        }
      }
    }
    if (folder == null) {
      folder = Path.of(System.getProperty("java.home"));
    }
    if (!Files.isDirectory(folder)) {
      throw new UsageException("there is no folder " + folder);
    }
    return new FunctionsArguments(folder, fabric, workers, limit, node, port);
  }

  private static int count(String[] args, int i) throws UsageException {
    String text = ShareArguments.value(args, i);
    if (!text.matches("[1-9][0-9]{0,3}")) {
      throw new UsageException(args[i - 1] + ' ' + text + ": a whole number from 1 to 9999");
    }
    return Integer.parseInt(text);
  }
}
