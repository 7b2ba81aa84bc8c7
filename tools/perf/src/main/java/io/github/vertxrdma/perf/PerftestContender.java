package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.work.Sample;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Programs of perftest, such as ib_send_lat(1). For sends and writes they print half of a round trip; for reads and atomics, a whole one. A
 * write of vertx-rdma waits for its acknowledgement, so it is compared with two writes, one in each direction.
 */
final class PerftestContender extends ProgramPair {
  private static final int PROBE = 100;
  private static final int MOST = 1_000_000;
  private static final int ATTEMPTS = 8;
  private static final int SETUP = 20;
  private static final Pattern NETDEV = Pattern.compile("netdev (\\S+)");

  private final String device;
  private final int factor;
  private final boolean events;

  PerftestContender(PerfArguments arguments, String fabric) throws SkippedException {
    super(program(arguments), "--version", "perftest", arguments.placement());
    String workload = arguments.workload();
    this.device = fabric.substring(fabric.indexOf(':') + 1);
    this.factor = workload.equals("latency") || workload.equals("write") ? 2 : 1;
    // ib_write_lat has no completions to wait for.
    this.events = arguments.poll().equals("blocking") && !workload.equals("write");
    address(device);
  }

  private static String program(PerfArguments arguments) throws SkippedException {
    if (arguments.window() > 1 || arguments.connections() > 1) {
      throw new SkippedException("perftest is measured only with --connections 1 and --window 1");
    }
    return switch (arguments.workload()) {
      case "latency" -> "ib_send_lat";
      case "read", "write", "atomic" -> "ib_" + arguments.workload() + "_lat";
      case "rate" -> "ib_send_bw";
      default -> throw new SkippedException("perftest can be compared with latency, rate, and reads, writes and atomics of regions, "
        + "not with "
        + arguments.workload());
    };
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    int bytes = Math.max(1, size);
    Sample probe = sample(transfer(bytes, PROBE, SETUP), bytes);
    int rounds = (int) Math.clamp(nanos / 1e9 * probe.messages(), PROBE, MOST);
    return sample(transfer(bytes, rounds, SETUP + 10 * TimeUnit.NANOSECONDS.toSeconds(nanos)), bytes);
  }

  private Sample sample(double[] columns, int size) {
    if (program.endsWith("_bw")) {
      return new Sample(Double.NaN, Double.NaN, Double.NaN, columns[3] * (1 << 20) / size, columns[3], Double.NaN);
    }
    double rate = 1e6 / (factor * columns[5]);
    return new Sample(factor * columns[4], Double.NaN, factor * columns[7], rate, rate * size / (1 << 20), Double.NaN);
  }

  private double[] transfer(int size, int rounds, long seconds) throws Exception {
    PerfException failure = null;
    // Over siw, both processes sometimes wait forever for each other while they connect.
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        return pair(size, rounds, seconds);
      } catch (PerfException e) {
        failure = e;
      }
    }
    throw failure;
  }

  private double[] pair(int size, int rounds, long seconds) throws Exception {
    InetAddress address = address(device);
    int port = freePort(address);
    List<String> server = new ArrayList<>(List.of(program, "-d", device, "-R", "-F", "-n", Integer.toString(rounds), "-p",
      Integer.toString(port)));
    if (!program.equals("ib_atomic_lat")) {
      server.addAll(List.of("-s", Integer.toString(size)));
    }
    if (events) {
      server.add("-e");
    }
    List<String> client = new ArrayList<>(server);
    client.add(address.getHostAddress());
    return Stream.of(pair(server, client, port, line -> line.matches("\\s*\\d[\\d.\\s]*"), seconds)).mapToDouble(Double::parseDouble)
      .toArray();
  }

  @Override
  boolean isListening(int port) {
    try {
      return Programs.output(List.of("rdma", "resource", "show", "cm_id")).contains(":" + port + " ");
    } catch (IOException e) {
      // The next attempt asks the kernel again.
      return false;
    }
  }

  private static InetAddress address(String device) throws SkippedException {
    try {
      String shown = Programs.output(List.of("rdma", "link", "show", device + "/1"));
      Matcher netdev = NETDEV.matcher(shown);
      NetworkInterface own = netdev.find() ? NetworkInterface.getByName(netdev.group(1)) : null;
      if (own == null) {
        throw new SkippedException("'rdma link show " + device + "/1' names no network interface: " + shown);
      }
      return own.inetAddresses().min(Comparator.comparing(each -> each.getAddress().length)).orElseThrow(
        () -> new SkippedException(own.getName() + ", the interface of " + device + ", has no address"));
    } catch (IOException e) {
      throw new SkippedException("the interface of " + device + " is not known: " + e.getMessage());
    }
  }
}
