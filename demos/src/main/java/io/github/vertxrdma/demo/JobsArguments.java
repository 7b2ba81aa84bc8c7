package io.github.vertxrdma.demo;

import io.github.vertxrdma.demo.ShareArguments.UsageException;

/**
 * The command line of the bus demo.
 *
 * @param fabric the one fabric to use, null for the best
 * @param jobs how many there are on each board
 * @param node which node this process is, null for the one that starts them
 * @param port first port of the clusters, for nodes
 */
record JobsArguments(String fabric, int jobs, String node, int port) {
  private static final int JOBS = 10_000;
  private static final int FEWEST = 100;
  private static final int MOST = 1_000_000;

  static JobsArguments parse(String... args) throws UsageException {
    String fabric = null;
    int jobs = JOBS;
    String node = null;
    int port = 0;
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--fabric" -> fabric = value(args, ++i);
        case "--jobs" -> jobs = jobs(value(args, ++i));
        case "--node" -> node = value(args, ++i);
        case "--port" -> port = Integer.parseInt(value(args, ++i));
        default -> throw new UsageException("unexpected argument '" + args[i] + "'; see ./rdma demo --help");
      }
    }
    return new JobsArguments(fabric, jobs, node, port);
  }

  private static String value(String[] args, int i) throws UsageException {
    if (i == args.length) {
      throw new UsageException(args[i - 1] + " needs a value; see ./rdma demo --help");
    }
    return args[i];
  }

  private static int jobs(String text) throws UsageException {
    try {
      int jobs = Integer.parseInt(text);
      if (jobs >= FEWEST && jobs <= MOST) {
        return jobs;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new UsageException("--jobs " + text + ": a number from " + FEWEST + " to " + MOST);
  }
}
