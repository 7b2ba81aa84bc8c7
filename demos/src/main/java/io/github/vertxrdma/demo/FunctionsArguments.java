package io.github.vertxrdma.demo;

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
 * @param place where it is
 */
record FunctionsArguments(Path folder, String fabric, int workers, int limit, String node, Place place)
  implements NodeDemo.Arguments {

  static FunctionsArguments parse(String... args) throws UsageException {
    Path folder = null;
    String fabric = null;
    int workers = Math.max(1, Runtime.getRuntime().availableProcessors() / 3);
    int limit = 48;
    String node = null;
    Place.Parser place = new Place.Parser();
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--fabric" -> fabric = CommandLine.value(args, ++i);
        case "--workers" -> workers = CommandLine.number(args, ++i, 1, 9999);
        case "--limit" -> limit = CommandLine.number(args, ++i, 1, 9999);
        case "--node" -> node = CommandLine.value(args, ++i);
        default -> {
          if (place.takes(args, i)) {
            i++;
            continue;
          }
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
    return new FunctionsArguments(folder, fabric, workers, limit, node, place.place(node));
  }
}
