package io.github.vertxrdma.perf;

import io.github.vertxrdma.RdmaOptions;
import io.vertx.core.json.JsonObject;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The command line of a measurement.
 *
 * @param sizes bytes of an operation, one row each
 * @param fabrics one row each
 * @param connections at the same time; of functions, workers
 * @param window operations under way on each connection
 * @param poll the poll policy of our loops
 * @param against whom, one row each; empty for nobody
 * @param runs of each contender, of which the one with the median of the ratios counts
 * @param seconds of one run
 * @param warmUp seconds before the first run
 * @param form how rows are printed
 * @param plot the file to draw; null for none
 * @param options of our nodes, and whether messages are lent
 * @param worker how the workers of functions wait: hot, warm, cold; null for other modes
 * @param work microseconds that a function computes
 */
record PerfArguments(Mode mode, List<Integer> sizes, List<String> fabrics, int connections, int window, String poll,
  List<String> against, int runs, double seconds, double warmUp, Form form, Path plot, JsonObject options,
  String worker, int work) {
  static final Set<String> PEERS = Set.of("c", "fi_pingpong", "tcp", "aeron", "send", "bus", "http");
  private static final Set<String> WORKERS = Set.of("hot", "warm", "cold");
  private static final Set<String> POLICIES = Set.of("blocking", "adaptive", "busy");
  private static final int LARGEST = 64 << 20;
  private static final int MOST_CONNECTIONS = 10_000;

  /** How rows are printed. */
  enum Form {
    TABLE, JSON, CSV
  }

  /** Whether our messages lie in registered memory at both ends. */
  boolean lent() {
    return options.getBoolean("lent", false);
  }

  /** Of one measurement. @throws UsageException with what is wrong in one line */
  static PerfArguments parse(List<String> arguments) {
    return parseAll(arguments).getFirst();
  }

  /** Of each combination of workers and connections, in order. @throws UsageException with what is wrong in one line */
  static List<PerfArguments> parseAll(List<String> arguments) {
    Mode mode = null;
    List<Integer> sizes = null;
    List<String> fabrics = List.of("shm");
    List<String> against = List.of();
    List<Integer> connections = List.of(1);
    List<String> workers = null;
    int work = 0;
    int window = 1;
    String poll = "adaptive";
    int runs = 5;
    double seconds = 1;
    double warmUp = 2;
    Form form = Form.TABLE;
    Path plot = null;
    JsonObject options = new JsonObject();
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      if (!argument.startsWith("-")) {
        if (mode != null) {
          throw new UsageException("'" + argument + "' is one argument too many");
        }
        mode = Mode.of(argument);
        continue;
      }
      if (argument.equals("--json") || argument.equals("--csv")) {
        form = argument.equals("--csv") ? Form.CSV : Form.JSON;
        continue;
      }
      if (argument.equals("--lent")) {
        options.put("lent", true);
        continue;
      }
      int equals = argument.indexOf('=');
      String name = equals < 0 ? argument : argument.substring(0, equals);
      if (!Set.of("--size", "--fabric", "--connections", "--window", "--poll", "--against", "--runs", "--seconds", "--warm-up", "--plot",
        "--option", "--worker", "--work").contains(name)) {
        throw new UsageException("unknown option '" + name + "'; see ./rdma perf --help");
      }
      if (equals < 0 && i + 1 == arguments.size()) {
        throw new UsageException(name + " needs a value");
      }
      String value = equals < 0 ? arguments.get(++i) : argument.substring(equals + 1);
      switch (name) {
        case "--size" -> sizes = sizes(value);
        case "--fabric" -> fabrics = words(name, value);
        case "--connections" -> connections = counts(name, value);
        case "--worker" -> {
          workers = words(name, value);
          workers.forEach(worker -> one(name, worker, WORKERS));
        }
        case "--work" -> work = (int) number(name, value, 0, 10_000_000);
        case "--window" -> window = (int) number(name, value, 1, 65_536);
        case "--poll" -> poll = one(name, value, POLICIES);
        case "--against" -> {
          against = words(name, value);
          against.forEach(peer -> one(name, peer, PEERS));
        }
        case "--runs" -> runs = (int) number(name, value, 1, 1000);
        case "--seconds" -> seconds = number(name, value, 0.01, 600);
        case "--warm-up" -> warmUp = number(name, value, 0, 600);
        case "--plot" -> plot = writable(value);
        default -> option(options, value);
      }
    }
    if (mode == null) {
      throw new UsageException("name a mode: " + String.join(", ", Mode.words()) + "; see ./rdma perf --help");
    }
    if (mode != Mode.FUNCTION && (workers != null || work > 0)) {
      throw new UsageException("--worker and --work belong to function, not to " + mode.word());
    }
    if (options.containsKey("lent") && mode != Mode.BANDWIDTH && mode != Mode.RATE) {
      throw new UsageException("--lent belongs to bandwidth and rate, not to " + mode.word());
    }
    if (work > 0 && workers != null && workers.contains("cold")) {
      throw new UsageException("--work is for workers that are there: hot and warm");
    }
    List<PerfArguments> all = new ArrayList<>();
    for (String worker : workers == null ? List.of("hot") : workers) {
      for (int count : connections) {
        all.add(new PerfArguments(mode, sizes == null ? List.of(mode.defaultSize) : sizes, fabrics, count, window, poll, against, runs,
          seconds, warmUp, form, plot, options, mode == Mode.FUNCTION ? worker : null, work));
      }
    }
    return all;
  }

  /** {@code 4}, {@code 1,2,4} or {@code 1-4}. */
  private static List<Integer> counts(String name, String value) {
    List<Integer> counts = new ArrayList<>();
    for (String part : value.split(",", -1)) {
      int dash = part.indexOf('-', 1);
      int first = (int) number(name, dash < 0 ? part : part.substring(0, dash), 1, MOST_CONNECTIONS);
      int last = dash < 0 ? first : (int) number(name, part.substring(dash + 1), first, MOST_CONNECTIONS);
      IntStream.rangeClosed(first, last).forEach(counts::add);
    }
    return counts;
  }

  private static List<String> words(String name, String value) {
    List<String> words = List.of(value.split(","));
    if (words.isEmpty() || words.contains("")) {
      throw new UsageException(name + " '" + value + "': one or more words with commas between");
    }
    return words;
  }

  private static String one(String name, String value, Set<String> of) {
    if (!of.contains(value)) {
      throw new UsageException(name + " '" + value + "': one of " + String.join(", ", of.stream().sorted().toList()));
    }
    return value;
  }

  private static double number(String name, String value, double least, double most) {
    try {
      double number = Double.parseDouble(value);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new UsageException(name + " '" + value + "': a number from " + text(least) + " to " + text(most));
  }

  private static String text(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }

  /** {@code 64}, {@code 4k}, {@code 1m}, lists of them with commas, and ranges {@code 64-4k} in steps of four. */
  static List<Integer> sizes(String value) {
    List<Integer> sizes = new ArrayList<>();
    for (String part : value.split(",", -1)) {
      int dash = part.indexOf('-');
      if (dash < 0) {
        sizes.add(size(part));
      } else {
        int last = size(part.substring(dash + 1));
        for (long size = Math.max(1, size(part.substring(0, dash))); size <= last; size *= 4) {
          sizes.add((int) size);
        }
      }
    }
    return sizes;
  }

  private static int size(String text) {
    try {
      String digits = text.toLowerCase(Locale.ROOT);
      int shift = digits.endsWith("k") ? 10 : digits.endsWith("m") ? 20 : 0;
      long size = Long.parseLong(shift == 0 ? digits : digits.substring(0, digits.length() - 1)) << shift;
      if (size >= 0 && size <= LARGEST) {
        return (int) size;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new UsageException("--size '" + text + "': bytes as 64, 4k or 1m, at most 64m; several as 64,4k or 64-1m");
  }

  private static Path writable(String value) {
    Path file = Path.of(value).toAbsolutePath();
    if (!value.endsWith(".svg") && !value.endsWith(".html")) {
      throw new UsageException("--plot " + value + ": a file that ends with .svg or .html");
    }
    if (!Files.isWritable(file.getParent())) {
      throw new UsageException("--plot " + value + ": " + file.getParent() + " is no folder that can be written to");
    }
    return file;
  }

  private static void option(JsonObject options, String value) {
    int equals = value.indexOf('=');
    if (equals < 1) {
      throw new UsageException("--option '" + value + "': a name of RdmaOptions and a value, as in bufferSize=65536");
    }
    String name = value.substring(0, equals);
    if (!name.equals("spin") && Arrays.stream(RdmaOptions.class.getMethods()).noneMatch(method -> method.getName()
      .equals("set" + Character.toUpperCase(name.charAt(0)) + name.substring(1)))) {
      throw new UsageException("--option '" + value + "': RdmaOptions has no '" + name + "'; docs/options.adoc names all");
    }
    String text = value.substring(equals + 1);
    try {
      options.put(name, Integer.parseInt(text));
    } catch (NumberFormatException e) {
      options.put(name, text);
    }
  }
}
