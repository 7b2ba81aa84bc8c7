package io.github.vertxrdma.commands;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perf}. */
@Command(name = "perf", header = "Measures, beside C, TCP or Aeron in the same run.", description = {"",
  "Measures with two processes, started as a user starts them, and with --against a peer that takes turns with them: each runs"
    + " several times, and the pair with the median ratio counts. Ratios are of operations per second, with --every of medians; one above 1"
    + " says that we are better. Times are of whole rounds in µs, and of a processor those of both processes.",
  ""})
public final class Perf implements RdmaCommand {
  /** The contenders to measure against. */
  public static final List<String> PEERS = List.of("c", "fi_pingpong", "tcp", "aeron", "send", "bus", "http", "busy", "blocking", "epoll",
    "io_uring");
  /** The contenders that start operations at a pace, and report each second. */
  public static final List<String> PACED_PEERS = List.of("tcp", "busy", "blocking", "epoll", "io_uring");
  /** The name of the fabric of a bus and HTTP that stay on TCP, on the event loops of this library. */
  public static final String NO_FABRIC = "none";
  /** The name of the fabric of a bus and HTTP whose nodes choose one by themselves. */
  public static final String ANY_FABRIC = "any";
  private static final List<String> WORKERS = List.of("hot", "warm", "cold");
  private static final List<String> POLICIES = List.of("adaptive", "blocking", "busy");
  private static final int LARGEST = 64 << 20;
  private static final int MOST_CONNECTIONS = 10_000;
  private static final int MOST_NODES = 128;

  @Parameters(arity = "0..1", paramLabel = "MODE", description = "What to measure; see below.", completionCandidates = Modes.class)
  String word;

  /** The workload to measure. */
  public Mode mode;

  @Option(names = "--size", paramLabel = "SIZES", description = "64, 4k, 1m; several as 64,4k, or in steps of four as 64-1m.")
  String size;

  @Option(names = "--fabric", split = ",", paramLabel = "FABRIC", description = "shm, tcp, rxm, nio, or a device that ./rdma info"
    + " names; none for TCP channels on our event loops, any for what nodes choose by themselves (bus, http, start). shm unless said"
    + " otherwise, of start any, of policy shm and nio.")
  public List<String> fabrics;

  @Option(names = "--against", split = ",", paramLabel = "PEER", description = {
    "c: the same in C over libfabric, compiled here; over a device of verbs perftest (ib_send_lat and its like); the launcher installs what"
      + " they need, as root on Debian and Ubuntu",
    "fi_pingpong: libfabric's own (latency and bandwidth)",
    "tcp: Vert.x over TCP, beside contract its gRPC; epoll, io_uring: the same on that transport",
    "aeron: shared memory beside shm, UDP beside the others (latency, bandwidth, rate)",
    "send: our own messages (beside notify, write, contract and function)", "bus, http: the event bus, HTTP over TCP (beside function)",
    "busy, blocking: ours with that poll policy", "Unless said otherwise none; of ping busy, blocking and tcp, of sparse tcp."})
  public List<String> against;

  @Option(names = "--connections", paramLabel = "N", description = "At the same time, workers of functions; several as 1,2,4 or 1-4.")
  String connections;

  @Option(names = "--nodes", paramLabel = "N", description = "Of growth, so many processes, one size after the other, 2,4,8,16,32.")
  String nodes;

  @Option(names = "--window", paramLabel = "N",
    description = "Operations under way on each connection (latency, read, write, atomic, bus, service, address, http, contract,"
      + " function).")
  public int window = 1;

  @Option(names = "--every", paramLabel = "MS",
    description = "Milliseconds from one start of an operation on a connection to the next, instead of starting one when the last has"
      + " ended (latency, bus, service, address, http, contract; of sparse, 20).")
  public int every;

  @Option(names = "--poll", paramLabel = "POLICY", description = "Of our event loops: adaptive, blocking, busy.")
  public String poll = "adaptive";

  @Option(names = "--runs", paramLabel = "N",
    description = "Of each, 5 unless said otherwise; of ping, 1, of policy, 10, of builds, 30. Those of"
      + " ping start new processes.")
  public Integer runs;

  @Option(names = "--seconds", paramLabel = "S", description = "Of one run, 1; of sparse, 5, of ping, 20; of growth, of each look at"
    + " idle nodes, 5.")
  public Double seconds;

  @Option(names = "--warm-up", paramLabel = "S",
    description = "Before the first run, 2; 20 times as long at most while the JVMs still compile.")
  public double warmUp = 2;

  @Option(names = "--option", paramLabel = "NAME=VALUE",
    description = "Of RdmaOptions, such as bufferSize=65536, or spin for vertx.rdma.spin; several times for several.")
  public Map<String, String> options = new LinkedHashMap<>();

  @Option(names = "--zero-copy",
    description = "Our messages are made in registered memory and given back by who reads them (bandwidth, rate).")
  public boolean zeroCopy;

  @Option(names = "--touch",
    description = "Who sends fills each message, and who receives adds up all its bytes; with --zero-copy ours where they"
      + " lie, by a viewHandler (bandwidth; peers c and tcp).")
  public boolean touch;

  @Option(names = "--apart", description = "Our messages are not put together: each goes in a work request of its own (rate).")
  public boolean apart;

  @Option(names = "--pinned",
    description = "The server runs on CPU 0 and the client on CPU 1, with one event loop each (with functions, one for each worker), a"
      + " fixed heap and the serial collector, instead of anywhere, as a user starts them.")
  public boolean pinned;

  @Option(names = "--loops", paramLabel = "N", description = "Event loops of each process, instead of Vert.x's default number.")
  Integer loops;

  @Option(names = "--restart", description = "Starts new processes for each run.")
  public boolean restart;

  @Option(names = "--worker", split = ",", paramLabel = "HOW", description = "Of functions, how their workers wait for calls: hot, warm;"
    + " or cold: a process is started, called and ended each time.")
  public List<String> workers = List.of();

  @Option(names = "--work", paramLabel = "N", description = "Of functions, microseconds of a processor that each takes; without it they"
    + " return their arguments at once.")
  public int work;

  @Option(names = "--busy", paramLabel = "N", description = "So many processes of other work beside, for both sides.")
  public int busy;

  @Option(names = "--wake-delay", paramLabel = "N",
    description = "Microseconds by which each wake-up of a JVM's event loop is slower, ours and"
      + " the peer's (needs cc); of policy, in half of its rows, 100.")
  public int wakeDelay;

  @ArgGroup
  Form form = new Form();

  @Option(names = "--before", paramLabel = "CLASSPATH",
    description = "Of builds, the other one, such as OTHER/tools/perf/target/lib/*; a fabric"
      + " that had another name there is NAME=OLDNAME.")
  public String before;

  @Option(names = "--plot", paramLabel = "FILE", description = "Draws the rows, as .svg or .html.")
  public Path plot;

  @Option(names = "--out", paramLabel = "FILE", description = "Of report, the file to write.")
  public Path out;

  /** Words that complete. */
  static final class Modes extends ArrayList<String> {
    private static final long serialVersionUID = 1;

    Modes() {
      super(Arrays.stream(Mode.values()).map(Mode::word).toList());
    }
  }

  /** The modes, for the end of the help. */
  static String[] modes() {
    return Stream.concat(Stream.of("", "Modes:"), Arrays.stream(Mode.values()).map(mode -> String.format("  %-11s%s", mode, mode.what)))
      .toArray(String[]::new);
  }

  /** The format of rows. */
  static final class Form {
    @Option(names = "--json", description = "An object per row.")
    boolean json;

    @Option(names = "--csv", description = "A line of a spreadsheet per row.")
    boolean csv;
  }

  /** Whether rows are objects. */
  public boolean json() {
    return form.json;
  }

  /** Whether rows are lines of a spreadsheet. */
  public boolean csv() {
    return form.csv;
  }

  @Override
  public void check() {
    if (word == null) {
      throw new UsageException("name a mode: " + Mode.words());
    }
    mode = Mode.of(word);
    sizes();
    connections(1);
    nodes();
    if (against == null) {
      against = mode == Mode.PING ? List.of("busy", "blocking", "tcp") : mode == Mode.SPARSE ? List.of("tcp") : List.of();
    }
    against.forEach(peer -> RdmaCommand.oneOf("--against", peer, PEERS));
    workers.forEach(worker -> RdmaCommand.oneOf("--worker", worker, WORKERS));
    RdmaCommand.oneOf("--poll", poll, POLICIES);
    RdmaCommand.range("--window", window, 1, 65_536);
    RdmaCommand.range("--seconds", seconds == null ? 1 : seconds, 0.01, 600);
    RdmaCommand.range("--warm-up", warmUp, 0, 600);
    RdmaCommand.range("--busy", busy, 0, 1000);
    RdmaCommand.range("--wake-delay", wakeDelay, 0, 10_000);
    RdmaCommand.range("--work", work, 0, 10_000_000);
    if (mode == Mode.POLICY && (busy > 0 || !against.isEmpty())) {
      throw new UsageException("policy is measured beside 0, 2 and 4 busy processes, against tcp: --busy and --against are not for it");
    }
    if (fabrics == null) {
      fabrics = mode == Mode.POLICY ? List.of("shm", "nio") : List.of(mode == Mode.START ? ANY_FABRIC : "shm");
    }
    if (fabrics.isEmpty() || fabrics.contains("")) {
      throw new UsageException("--fabric: one or more words with commas between");
    }
    belongs("--worker", !workers.isEmpty(), Mode.FUNCTION);
    belongs("--work", work > 0, Mode.FUNCTION);
    belongs("--zero-copy", zeroCopy, Mode.BANDWIDTH, Mode.RATE);
    belongs("--touch", touch, Mode.BANDWIDTH);
    if (touch && against.stream().anyMatch(peer -> !peer.equals("c") && !peer.equals("tcp"))) {
      throw new UsageException("--touch: the peers that look at what they send are c and tcp");
    }
    if (touch && sizes().stream().anyMatch(bytes -> bytes < 16 || bytes % 8 > 0)) {
      throw new UsageException("--touch adds messages up in words: --size takes multiples of 8 from 16 on");
    }
    belongs("--apart", apart, Mode.RATE);
    belongs("--out", out != null, Mode.REPORT);
    belongs("--every", every > 0, Mode.LATENCY, Mode.BUS, Mode.SERVICE, Mode.ADDRESS, Mode.HTTP, Mode.CONTRACT, Mode.SPARSE);
    RdmaCommand.range("--every", every, 0, 600_000);
    if (mode == Mode.SPARSE && every == 0) {
      every = 20;
    }
    if (mode == Mode.PING || mode == Mode.SPARSE) {
      against.forEach(peer -> RdmaCommand.oneOf("--against", peer, PACED_PEERS));
    }
    belongs("--nodes", nodes != null, Mode.GROWTH);
    belongs("--before", before != null, Mode.BUILDS);
    if (mode == Mode.BUILDS && before == null) {
      throw new UsageException("builds takes the class path of the other build: --before CLASSPATH");
    }
    RdmaCommand.range("--runs", runs == null ? 2 : runs, mode == Mode.BUILDS ? 2 : 1, 1000);
    if (!mode.isWorkload() && (plot != null || !against.isEmpty() && mode != Mode.PING)) {
      throw new UsageException((plot != null ? "--plot" : "--against") + " belongs to one workload, and " + mode + " is of its own kind");
    }
    if ((pinned || loops != null) && List.of(Mode.REPORT, Mode.POLICY, Mode.BUILDS, Mode.GROWTH).contains(mode)) {
      throw new UsageException(
        (pinned ? "--pinned" : "--loops") + " belongs to modes that measure one pair of processes, not to " + mode);
    }
    RdmaCommand.range("--loops", loops == null ? 1 : loops, 1, 1000);
    for (String fabric : List.of(NO_FABRIC, ANY_FABRIC)) {
      belongs("--fabric " + fabric, fabrics.contains(fabric), Mode.BUS, Mode.HTTP, Mode.START);
    }
    if (mode == Mode.REPORT && (json() || csv())) {
      throw new UsageException("--json and --csv are for rows, and report writes a page");
    }
    if (work > 0 && workers.contains("cold")) {
      throw new UsageException("--work is for workers that are there: hot and warm");
    }
    if (plot != null) {
      if (!plot.toString().matches(".*\\.(svg|html)")) {
        throw new UsageException("--plot " + plot + ": a file that ends with .svg or .html");
      }
      writable("--plot", plot);
    }
    if (out != null) {
      writable("--out", out);
    }
  }

  private void belongs(String option, boolean given, Mode... to) {
    if (given && !List.of(to).contains(mode)) {
      throw new UsageException(
        option + " belongs to " + String.join(" and ", Arrays.stream(to).map(Mode::word).toList()) + ", not to " + mode);
    }
  }

  /** Refuses it now, not after ten minutes. */
  private static void writable(String option, Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (!Files.isWritable(Files.exists(file) ? file : folder)) {
      throw new UsageException(option + " " + file + ": " + (Files.exists(file) ? "it" : folder) + " cannot be written to");
    }
  }

  /** Returns the number of event loops of each process; 0 for Vert.x's default. @param pinnedLoops that of pinned processes */
  public int loops(int pinnedLoops) {
    return loops != null ? loops : pinned ? pinnedLoops : 0;
  }

  /** {@code 64}, {@code 4k}, {@code 1m}, lists of them with commas, and ranges {@code 64-4k} in steps of four. */
  public List<Integer> sizes() {
    if (size == null) {
      return List.of(mode.defaultSize);
    }
    List<Integer> sizes = new ArrayList<>();
    for (String part : size.split(",", -1)) {
      int dash = part.indexOf('-');
      if (dash < 0) {
        sizes.add(size(part));
      } else {
        int first = Math.max(1, size(part.substring(0, dash)));
        int last = size(part.substring(dash + 1));
        if (first > last) {
          throw new UsageException("--size '" + part + "': a range goes up, from 1 at least, as 64-4k");
        }
        for (long next = first; next <= last; next *= 4) {
          sizes.add((int) next);
        }
      }
    }
    return sizes;
  }

  private static int size(String text) {
    String digits = text.toLowerCase(Locale.ROOT);
    if (digits.matches("[0-9]{1,9}[km]?")) {
      int shift = digits.endsWith("k") ? 10 : digits.endsWith("m") ? 20 : 0;
      long bytes = Long.parseLong(digits.replaceAll("[km]", "")) << shift;
      if (bytes <= LARGEST) {
        return (int) bytes;
      }
    }
    throw new UsageException("--size '" + text + "': bytes as 64, 4k or 1m, at most 64m; several as 64,4k or 64-1m");
  }

  /** {@code 4}, {@code 1,2,4} or {@code 1-4}. @param fallback what it is unless said otherwise */
  public List<Integer> connections(int fallback) {
    return connections == null ? List.of(fallback) : counts("--connections", connections, 1, MOST_CONNECTIONS);
  }

  /** The sizes of a cluster that grows, in order. */
  public List<Integer> nodes() {
    return nodes == null ? List.of(2, 4, 8, 16, 32) : counts("--nodes", nodes, 2, MOST_NODES).stream().sorted().distinct().toList();
  }

  private static List<Integer> counts(String option, String text, int least, int most) {
    List<Integer> counts = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      int[] ends = Arrays.stream(part.matches("[0-9]{1,6}(-[0-9]{1,6})?") ? part.split("-") : new String[] {"0"})
        .mapToInt(Integer::parseInt)
        .toArray();
      if (ends[0] < least || ends[ends.length - 1] > most || ends[ends.length - 1] < ends[0]) {
        throw new UsageException(option + " '" + part + "': numbers from " + least + " to " + most + ", as 4, 1,2,4 or 1-4");
      }
      IntStream.rangeClosed(ends[0], ends[ends.length - 1]).forEach(counts::add);
    }
    return counts;
  }
}
