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
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "perf", header = "Measures the speed, and compares it with C, TCP or Aeron.", description = {"",
  "Starts two processes with the options of an ordinary application, and measures operations between them. With --against it also "
    + "measures a program for comparison. The two programs run alternately, several times, and the result is the pair of runs with the "
    + "median ratio. A ratio above 1 says that vertx-rdma is better: it does more operations per second or, with --every, has a shorter "
    + "median time. Times are round trips in µs. Processor times are the sum of both processes.",
  ""})
public final class Perf implements RdmaCommand {
  public static final List<String> PEERS = List.of("c", "fi_pingpong", "tcp", "aeron", "send", "bus", "http", "busy", "blocking", "epoll",
    "io_uring");
  /** Peers that can start operations at fixed intervals, and report each second. */
  public static final List<String> PACED_PEERS = List.of("tcp", "busy", "blocking", "epoll", "io_uring");
  /** Value of --fabric: TCP for the event bus and HTTP, on this library's event loops. */
  public static final String NO_FABRIC = "none";
  /** Value of --fabric: the nodes choose a fabric. */
  public static final String ANY_FABRIC = "any";
  private static final List<String> WORKERS = List.of("hot", "warm", "cold");
  private static final List<String> POLICIES = List.of("adaptive", "blocking", "busy");
  private static final int LARGEST = 64 << 20;
  private static final int MOST_CONNECTIONS = 10_000;

  @Parameters(index = "0", arity = "0..1", paramLabel = "MODE", description = "What to measure; the list is below.",
    completionCandidates = Modes.class)
  String word;

  /** Null if the mode has one kind. */
  @Parameters(index = "1", arity = "0..1", paramLabel = "KIND", description = "Kind of the mode; default: the first in the list below.",
    completionCandidates = Kinds.class)
  public String kind;

  /** Null with {@link #report}. */
  public Mode mode;

  @Option(names = "--size", paramLabel = "SIZES", description = "Bytes of a message, such as 64, 4k or 1m; several as 64,4k. 64-1m "
    + "measures 64, 256, 1k and so on.")
  String size;

  @Option(names = "--fabric", split = ",", paramLabel = "FABRIC", description = "shm, tcp, rxm, nio, or a device that ./rdma info "
    + "lists; none: TCP on vertx-rdma's event loops; any: what nodes choose (bus, http, start). Default: any for these, "
    + "otherwise shm.")
  public List<String> fabrics;

  @Option(names = "--against", split = ",", paramLabel = "PEER", description = {
    "c: a program in C for libfabric, or over verbs:nic for libibverbs, which is compiled here. As root on Debian and Ubuntu, the "
      + "launcher installs the necessary packages",
    "fi_pingpong: the tool of libfabric (latency, rate)",
    "tcp: stock Vert.x over TCP, for contract its gRPC; epoll, io_uring: stock Vert.x on that transport",
    "aeron: Aeron, over shared memory if the fabric is shm, otherwise over UDP (latency, rate)",
    "send: messages of a vertx-rdma connection (notify, write, contract and function)",
    "bus, http: requests over the event bus or HTTP, over TCP (function)",
    "busy, blocking: vertx-rdma with that poll policy", "Default: none, and for ping busy, blocking and tcp."})
  public List<String> against;

  @Option(names = "--connections", paramLabel = "N", description = "Number of connections, or of workers for functions; several "
    + "numbers as 1,2,4 or 1-4.")
  String connections;

  @Option(names = "--window", paramLabel = "N",
    description = "Operations in flight on each connection (latency, regions, bus, http, call).")
  public int window = 1;

  @Option(names = "--every", paramLabel = "MS",
    description = "Starts an operation on each connection every MS milliseconds. Otherwise an operation starts when the previous one "
      + "has ended (latency, bus, http, and call except function).")
  public int every;

  @Option(names = "--poll", paramLabel = "POLICY", description = "Poll policy of vertx-rdma's event loops: adaptive, blocking or "
    + "busy; default: adaptive.")
  public String poll = "adaptive";

  @Option(names = "--runs", paramLabel = "N",
    description = "Number of runs; default: 5, for ping 1, for builds 30. Each run of ping starts new processes.")
  public Integer runs;

  @Option(names = "--seconds", paramLabel = "S", description = "Duration of one run; default: 1, for idle nodes 5, for ping 20, for "
    + "builds 0.5.")
  public Double seconds;

  @Option(names = "--warm-up", paramLabel = "S",
    description = "Seconds of unmeasured operations before the first run; default: 2. Extended up to 20 times while the JVMs still "
      + "compile.")
  public double warmUp = 2;

  @Option(names = "--option", paramLabel = "NAME=VALUE",
    description = "Sets an option of RdmaOptions, such as bufferSize=65536. The name spin sets the property vertx.rdma.spin. Can be "
      + "repeated.")
  public Map<String, String> options = new LinkedHashMap<>();

  @Option(names = "--zero-copy",
    description = "vertx-rdma writes messages in registered memory and reads them in place (rate).")
  public boolean zeroCopy;

  @Option(names = "--touch",
    description = "The sender fills each message, and the receiver adds up all its bytes; with --zero-copy vertx-rdma does so in "
      + "place, in a messageHandler (rate; compared with c and tcp).")
  public boolean touch;

  @Option(names = "--apart", description = "vertx-rdma sends each message with its own work request, instead of several messages "
    + "together (rate).")
  public boolean apart;

  @Option(names = "--pinned",
    description = "Pins the server to CPU 0 and the client to CPU 1. Each has one event loop (with functions, one for each worker), a "
      + "fixed heap and the serial collector.")
  public boolean pinned;

  @Option(names = "--loops", paramLabel = "N", description = "Number of event loops of each process; default: that of Vert.x.")
  Integer loops;

  @Option(names = "--restart", description = "Starts new processes for each run.")
  public boolean restart;

  @Option(names = "--worker", split = ",", paramLabel = "HOW", description = "For functions, how workers wait for calls: hot or warm. "
    + "With cold, each call starts and ends a process.")
  public List<String> workers = List.of();

  @Option(names = "--work", paramLabel = "N", description = "For functions, microseconds for which each call computes. Without this "
    + "option, a function returns its arguments at once.")
  public int work;

  @Option(names = "--busy", paramLabel = "N", description = "Runs N processes with other work during the measurements of both programs.")
  public int busy;

  @Option(names = "--serve", paramLabel = "HOST:PORT",
    description = "Starts only the server, at this address of this host, for a client that runs with --to on another host. The server "
      + "ends with that client. Both need the same VERTX_RDMA_SECRET, mode and kind (latency, rate, regions).")
  public String serve;

  @Option(names = "--to", paramLabel = "HOST:PORT", description = "Uses the server at this address, which was started with --serve, "
    + "instead of one on this host. Processor times are those of the client.")
  public String to;

  @Option(names = "--json", description = "Prints a JSON object for each row.")
  public boolean json;

  @Option(names = "--before", paramLabel = "CLASSPATH",
    description = "For builds, class path of the other build, such as OTHER/tools/perf/target/lib/*. If a fabric"
      + " has another name there, use --fabric NAME=OLDNAME.")
  public String before;

  @Option(names = "--report", paramLabel = "FILE", description = "Instead of a mode: measures all goals, in half an hour, and writes the "
    + "results between two comments of a file, such as docs/measurements.adoc.")
  public Path report;

  static final class Modes extends ArrayList<String> {
    private static final long serialVersionUID = 1;

    Modes() {
      super(Arrays.stream(Mode.values()).map(Mode::word).toList());
    }
  }

  static final class Kinds extends ArrayList<String> {
    private static final long serialVersionUID = 1;

    Kinds() {
      super(Arrays.stream(Mode.values()).flatMap(mode -> mode.kinds.stream()).toList());
    }
  }

  static String[] modes() {
    return Stream.concat(Stream.of("", "Modes, and their kinds:"), Arrays.stream(Mode.values()).flatMap(mode -> mode.help().stream()))
      .toArray(String[]::new);
  }

  @Override
  public void check() {
    if ((word == null) == (report == null)) {
      throw new UsageException(word == null ? "name a mode: " + Mode.words() : "--report measures all goals, so it takes no mode");
    }
    ranges();
    if (report != null) {
      if (json) {
        throw new UsageException("--json is for rows, and --report writes a page");
      }
      writable("--report", report);
      return;
    }
    mode = Mode.of(word);
    if (kind == null && !mode.kinds.isEmpty()) {
      kind = mode.kinds.getFirst();
    } else if (kind != null && !mode.kinds.contains(kind)) {
      throw new UsageException(mode + " has " + (mode.kinds.isEmpty() ? "no kinds" : "no kind '" + kind + "'; it has "
        + String.join(", ", mode.kinds)));
    }
    sizes();
    connections(1);
    defaults();
    for (String peer : against) {
      RdmaCommand.oneOf("--against", peer, mode == Mode.PING || Mode.IDLE.equals(kind) ? PACED_PEERS : PEERS);
    }
    for (String fabric : List.of(NO_FABRIC, ANY_FABRIC)) {
      belongs("--fabric " + fabric, fabrics.contains(fabric), Mode.BUS, Mode.HTTP, Mode.START);
    }
    messages();
    belongs("--every", every > 0, Mode.LATENCY, Mode.BUS, Mode.HTTP, Mode.CALL);
    functions();
    hosts();
    builds();
  }

  private void hosts() {
    belongs("--serve", serve != null, Mode.LATENCY, Mode.RATE, Mode.REGIONS);
    belongs("--to", to != null, Mode.LATENCY, Mode.RATE, Mode.REGIONS);
    if (serve != null && to != null) {
      throw new UsageException("--serve starts the server and --to starts the client: use one of them on each host");
    }
    String address = serve != null ? serve : to;
    if (address == null) {
      return;
    }
    if (!address.matches(".+:[1-9]\\d{0,4}")) {
      throw new UsageException((serve != null ? "--serve '" : "--to '") + address + "': an address and a port, as 10.0.0.1:7470");
    }
    if (!against.isEmpty() || fabrics.size() > 1 || restart) {
      throw new UsageException("--serve and --to measure one fabric between two hosts, without --against and --restart");
    }
  }

  private void ranges() {
    workers.forEach(worker -> RdmaCommand.oneOf("--worker", worker, WORKERS));
    RdmaCommand.oneOf("--poll", poll, POLICIES);
    RdmaCommand.range("--window", window, 1, 65_536);
    RdmaCommand.range("--every", every, 0, 600_000);
    RdmaCommand.range("--seconds", seconds == null ? 1 : seconds, 0.01, 600);
    RdmaCommand.range("--warm-up", warmUp, 0, 600);
    RdmaCommand.range("--runs", runs == null ? 2 : runs, 1, 1000);
    RdmaCommand.range("--loops", loops == null ? 1 : loops, 1, 1000);
    RdmaCommand.range("--busy", busy, 0, 1000);
    RdmaCommand.range("--work", work, 0, 10_000_000);
  }

  private void defaults() {
    if (against == null) {
      against = mode == Mode.PING ? List.of("busy", "blocking", "tcp") : List.of();
    }
    if (fabrics == null) {
      fabrics = List.of(mode == Mode.START || mode == Mode.BUS || mode == Mode.HTTP ? ANY_FABRIC : "shm");
    }
    if (fabrics.isEmpty() || fabrics.contains("")) {
      throw new UsageException("--fabric: give one or more names, separated by commas");
    }
  }

  private void messages() {
    belongs("--zero-copy", zeroCopy, Mode.RATE);
    belongs("--apart", apart, Mode.RATE);
    belongs("--touch", touch, Mode.RATE);
    if (touch && against.stream().anyMatch(peer -> !peer.equals("c") && !peer.equals("tcp"))) {
      throw new UsageException("--touch can be combined only with the peers c and tcp");
    }
    if (touch && sizes().stream().anyMatch(bytes -> bytes < 16 || bytes % 8 > 0)) {
      throw new UsageException("--touch adds up words of 8 bytes: use multiples of 8, from 16, for --size");
    }
  }

  private void functions() {
    boolean calls = Mode.FUNCTION.equals(kind);
    if (!calls && (!workers.isEmpty() || work > 0)) {
      throw new UsageException((work > 0 ? "--work" : "--worker") + " belongs to call function, not to " + mode
        + (kind == null ? "" : " " + kind));
    }
    if (calls && every > 0) {
      throw new UsageException("--every belongs to latency, bus, http and the other kinds of call, not to call function");
    }
    if (work > 0 && workers.contains("cold")) {
      throw new UsageException("--work can be combined only with hot and warm workers");
    }
  }

  private void builds() {
    belongs("--before", before != null, Mode.BUILDS);
    if (mode != Mode.BUILDS) {
      return;
    }
    if (before == null) {
      throw new UsageException("builds needs the class path of the other build: add --before CLASSPATH");
    }
    RdmaCommand.range("--runs", runs == null ? 2 : runs, 2, 1000);
    String foreign = !against.isEmpty() ? "--against" : pinned ? "--pinned" : loops != null ? "--loops" : null;
    if (foreign != null) {
      throw new UsageException(foreign + " belongs to modes that measure a pair of processes, not to builds");
    }
  }

  private void belongs(String option, boolean given, Mode... to) {
    if (given && !List.of(to).contains(mode)) {
      throw new UsageException(
        option + " belongs to " + String.join(" and ", Arrays.stream(to).map(Mode::word).toList()) + ", not to " + mode);
    }
  }

  /** Checks that a file can be written, before anything is measured. */
  private static void writable(String option, Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (!Files.isWritable(Files.exists(file) ? file : folder)) {
      throw new UsageException(option + " " + file + ": " + (Files.exists(file) ? "it" : folder) + " cannot be written to");
    }
  }

  /** Returns the number of event loops of each process; 0 for Vert.x's default. */
  public int loops(int pinnedLoops) {
    return loops != null ? loops : pinned ? pinnedLoops : 0;
  }

  /**
   * Returns the sizes in bytes of {@code 64}, {@code 4k}, {@code 1m}, of lists with commas, and of ranges {@code 64-4k} in factors of four.
   */
  public List<Integer> sizes() {
    if (size == null) {
      return List.of(Mode.ATOMIC.equals(kind) ? Long.BYTES : mode.defaultSize);
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
          throw new UsageException("--size '" + part + "': a range must increase, and begin at 1 or more, such as 64-4k");
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
    throw new UsageException("--size '" + text + "': use a size such as 64, 4k or 1m, at most 64m; several as 64,4k or 64-1m");
  }

  /** Returns the numbers in {@code 4}, {@code 1,2,4} or {@code 1-4}. @param fallback number without the option */
  public List<Integer> connections(int fallback) {
    if (connections == null) {
      return List.of(fallback);
    }
    List<Integer> counts = new ArrayList<>();
    for (String part : connections.split(",", -1)) {
      int[] ends = Arrays.stream(part.matches("[0-9]{1,6}(-[0-9]{1,6})?") ? part.split("-") : new String[] {"0"})
        .mapToInt(Integer::parseInt)
        .toArray();
      if (ends[0] < 1 || ends[ends.length - 1] > MOST_CONNECTIONS || ends[ends.length - 1] < ends[0]) {
        throw new UsageException("--connections '" + part + "': use numbers from 1 to " + MOST_CONNECTIONS + ", such as 4; 1,2,4; or 1-4");
      }
      IntStream.rangeClosed(ends[0], ends[ends.length - 1]).forEach(counts::add);
    }
    return counts;
  }
}
