package io.github.vertxrdma.demo;

/**
 * The command line of the bus demo.
 *
 * @param fabric the one fabric to use, null for the best
 * @param jobs how many there are on each board
 * @param node which node this process is, null for the one that starts them
 * @param place where it is
 * @param page whether node A serves the page of the cluster
 */
record JobsArguments(String fabric, int jobs, String node, Place place, boolean page) implements NodeDemo.Arguments {
  private static final int JOBS = 10_000;
  private static final int FEWEST = 100;
  private static final int MOST = 1_000_000;

  static JobsArguments parse(String... args) throws UsageException {
    String fabric = null;
    int jobs = JOBS;
    String node = null;
    Place.Parser place = new Place.Parser();
    boolean page = false;
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--fabric" -> fabric = CommandLine.value(args, ++i);
        case "--jobs" -> jobs = CommandLine.number(args, ++i, FEWEST, MOST);
        case "--node" -> node = CommandLine.value(args, ++i);
        case "--page" -> page = true;
        default -> {
          if (!place.takes(args, i)) {
            throw new UsageException("unexpected argument '" + args[i] + "'; see ./rdma demo --help");
          }
          i++;
        }
      }
    }
    return new JobsArguments(fabric, jobs, node, place.place(node), page);
  }
}
