package io.github.vertxrdma.demo;

import java.util.ArrayList;
import java.util.List;

/**
 * The command line of a node of the bus demo.
 *
 * @param node its name
 * @param host its own address, a host name or a literal
 * @param port the port that it takes for the cluster
 * @param members where nodes may be, as host:port
 * @param fabric the one fabric to use, null for the best
 * @param page where it serves the page of the cluster, as host:port; null for nowhere
 * @param metrics where it serves its meters to Prometheus, as host:port; null for nowhere
 */
record BusArguments(String node, String host, int port, List<String> members, String fabric, String page, String metrics) {
  private static final int LAST_PORT = 65_535;

  static BusArguments parse(String... args) throws UsageException {
    String node = null;
    String host = "127.0.0.1";
    int port = 5701;
    List<String> members = new ArrayList<>();
    String fabric = null;
    String page = null;
    String metrics = null;
    for (int i = 0; i + 1 < args.length; i += 2) {
      String value = args[i + 1];
      switch (args[i]) {
        case "--node" -> node = value;
        case "--host" -> host = value;
        case "--port" -> port = Integer.parseInt(value);
        case "--members" -> members.addAll(List.of(value.split(",")));
        case "--fabric" -> fabric = value.isEmpty() || value.equals("auto") ? null : value;
        case "--page" -> page = place(args[i], value);
        case "--metrics" -> metrics = place(args[i], value);
        default -> throw new UsageException("unexpected argument '" + args[i] + "'");
      }
    }
    if (node == null || args.length % 2 != 0) {
      throw new UsageException("BusNode --node NAME [--host HOST] [--port PORT] [--members HOST:PORT,…] [--fabric FABRIC]"
        + " [--page HOST:PORT] [--metrics HOST:PORT]");
    }
    return new BusArguments(node, host, port, members.isEmpty() ? List.of(host + ":" + port) : List.copyOf(members), fabric,
      page, metrics);
  }

  /** A host and a port; Compose gives nothing for what is not set. */
  private static String place(String option, String value) throws UsageException {
    if (value.isEmpty()) {
      return null;
    }
    int colon = value.lastIndexOf(':');
    try {
      if (colon > 0 && Integer.parseUnsignedInt(value.substring(colon + 1)) <= LAST_PORT) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new UsageException(option + ' ' + value + ": a host and a port, as 127.0.0.1:7480");
  }
}
