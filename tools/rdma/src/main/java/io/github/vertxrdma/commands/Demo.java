package io.github.vertxrdma.commands;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "demo", header = "Three nodes on this machine share a file through remote memory.",
  subcommands = {Demo.Functions.class, Demo.Kv.class, Demo.Http.class, Demo.Bus.class, Demo.Service.class, Demo.Contract.class,
    Demo.BusNode.class},
  description = {"",
    "Node A shares FILE in a memory region. B and C find the region by name, fetch the file with remote reads, and verify its "
      + "SHA-256. They report their results by notified writes, and each adds 1 to a counter by a remote fetch-and-add.",
    ""})
public final class Demo implements RdmaCommand {
  @Parameters(arity = "0..1", paramLabel = "FILE", description = "File to share; default: a file of the JDK with tens of MiB.")
  public Path file;

  @Option(names = "--limit", paramLabel = "RATE", description = "Slows the fetch to RATE MiB/s.")
  public double limit;

  @Mixin
  public Node node;

  @Override
  public void check() {
    if (limit != 0) {
      RdmaCommand.range("--limit", limit, 0.001, 1e9);
    }
    node.check();
    file = file == null ? ofJdk() : file;
    if (!Files.exists(file)) {
      // A single word may be a misspelt demo.
      throw new UsageException("there is no file " + file + (file.toString().matches("[a-z]+") ? ", and no such demo" : ""));
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
  }

  /** Returns a file of every JDK with tens of MiB: its virtual machine. */
  private static Path ofJdk() {
    Path home = Path.of(System.getProperty("java.home"));
    return List.of("lib/server/libjvm.so", "lib/server/libjvm.dylib", "bin/server/jvm.dll").stream().map(home::resolve)
      .filter(Files::isRegularFile).findFirst().orElse(home.resolve("lib/modules"));
  }

  /** Options of the three demo processes. Without a node name, this process starts all of them. */
  public static final class Node {
    public static final List<String> NAMES = List.of("A", "B", "C");
    private static final int LAST_PORT = 65_535;

    @Option(names = "--fabric", paramLabel = "FABRIC", description = "Forces this fabric or device: nio, tcp, rxm, shm, or one "
      + "that ./rdma info lists, such as verbs:mlx5_0 or verbs-iwarp.")
    public String fabric;

    @Option(names = "--node", paramLabel = "NODE", description = "Starts only node A, B or C. To use several hosts, start A first, "
      + "then B and C on the other hosts, all with the same VERTX_RDMA_SECRET, and with --host and --members.")
    public String name;

    @Option(names = "--host", paramLabel = "ADDRESS", description = "With --node: numeric IP address of this host.")
    public String host;

    @Option(names = "--members", split = ",", paramLabel = "ADDRESS", description = "With --node: numeric IP addresses of all hosts.")
    public List<String> members = List.of();

    @Option(names = "--port", paramLabel = "PORT", description = "First TCP port that the cluster may use on each host; default: 5701.")
    public int port = 5701;

    /** True if the process ends with its parent. */
    @Option(names = "--ends-with-parent", hidden = true)
    public boolean endsWithParent;

    void check() {
      RdmaCommand.range("--port", port, 1, LAST_PORT);
      if (name != null) {
        RdmaCommand.oneOf("--node", name, NAMES);
      }
      if ((host != null || !members.isEmpty()) && (name == null || host == null || !members.contains(host))) {
        throw new UsageException("--host must be the address of the --node that starts here, and be among --members");
      }
    }
  }

  public static final class Pair {
    @Option(names = "--fabric", paramLabel = "FABRIC", description = "As of ./rdma demo.")
    public String fabric;

    @Option(names = "--server", hidden = true)
    public boolean server;

    @Option(names = "--group", hidden = true)
    public String group = UUID.randomUUID().toString();
  }

  @Command(name = "functions", header = "Workers of three nodes work through the files of a folder.", description = {"",
    "All three nodes offer workers for remote functions. Node A leases the workers, which count lines and words in the files of "
      + "FOLDER and compute a checksum. Then A does the same on one thread, and compares the results. It prints the speed-up, the "
      + "time of calls and the bill.",
    ""})
  public static final class Functions implements RdmaCommand {
    private static final int MOST = 9999;

    @Parameters(arity = "0..1", paramLabel = "FOLDER", description = "Folder with the files; default: that of the JDK.")
    public Path folder = Path.of(System.getProperty("java.home"));

    @Option(names = "--workers", paramLabel = "N", description = "Workers of each node; default: one third of the processors, at "
      + "least 1.")
    public int workers = Math.max(1, Runtime.getRuntime().availableProcessors() / 3);

    @Option(names = "--limit", paramLabel = "MIB", description = "Reads at most MIB MiB of the files; default: 48.")
    public int limit = 48;

    @Mixin
    public Node node;

    @Override
    public void check() {
      RdmaCommand.range("--workers", workers, 1, MOST);
      RdmaCommand.range("--limit", limit, 1, MOST);
      node.check();
      if (!Files.isDirectory(folder)) {
        throw new UsageException("there is no folder " + folder);
      }
    }
  }

  @Command(name = "kv", header = "A table of keys and values that is read remotely.", description = {"",
    "A server keeps the table in a region. Clients put a value by a message, and get a value by a remote read, for which no code of "
      + "the server runs. Then the same gets follow over TCP. The output also has the number of gets that the server's code answered.",
    ""})
  public static final class Kv implements RdmaCommand {
    @Option(names = "--keys", paramLabel = "N", description = "Default: 1000.")
    public int keys = 1000;

    @Option(names = "--gets", paramLabel = "N", description = "Default: 5000.")
    public int gets = 5000;

    @Mixin
    public Pair pair;

    @Override
    public void check() {
      RdmaCommand.range("--keys", keys, 1, 1e7);
      RdmaCommand.range("--gets", gets, 1, 1e9);
    }
  }

  @Command(name = "http", header = "Vert.x's own HTTP over the fabric and over TCP.", description = {"",
    "Sends the same requests over a fabric, by an rdma:// address, and over TCP, and compares the times.", ""})
  public static final class Http implements RdmaCommand {
    @Option(names = "--requests", paramLabel = "N", description = "Number of measured requests; default: 20000. As many are sent "
      + "before, to warm up.")
    public int requests = 20_000;

    @Option(names = "--size", paramLabel = "BYTES", description = "Bytes of each response; default: 4096.")
    public int size = 4096;

    @Mixin
    public Pair pair;

    @Override
    public void check() {
      RdmaCommand.range("--requests", requests, 1, 1e9);
      RdmaCommand.range("--size", size, 1, 1 << 30);
    }
  }

  @Command(name = "bus", header = "Three nodes on the clustered event bus, of which one exits without closing.", description = {"",
    "The nodes greet each other over the event bus, which uses a fabric automatically, and increment counters in each other's "
      + "regions. Then C ends. A and B report this, and continue. In containers the same nodes run until they are stopped.",
    ""})
  public static final class Bus implements RdmaCommand {
    @Option(names = "--page", description = "Node A serves the page of the cluster for a browser and prints its URL. The nodes run "
      + "until Ctrl-C.")
    public boolean page;

    @Mixin
    public Node node;

    @Override
    public void check() {
      node.check();
      if (node.host != null) {
        throw new UsageException("the nodes of demo bus are on this machine; on several hosts containers run them, see "
          + "docs/running.adoc");
      }
    }

    public BusNode busNode() {
      BusNode one = new BusNode();
      one.node = node.name;
      one.port = node.port + Node.NAMES.indexOf(node.name);
      one.members = IntStream.range(0, Node.NAMES.size()).mapToObj(i -> one.host + ':' + (node.port + i)).toList();
      one.fabric = node.fabric;
      one.page = page && node.name.equals("A") ? one.host + ":0" : null;
      one.ends = !page;
      return one;
    }
  }

  @Command(name = "service", header = "An address of a cluster's event bus, used from outside.", description = {"",
    "A node of a cluster offers the address as a service. A process outside of the cluster finds the service through a Hazelcast "
      + "client, and sends requests to it.",
    ""})
  public static final class Service implements RdmaCommand {
    @Option(names = "--requests", paramLabel = "N", description = "Default: 5000.")
    public int requests = 5000;

    @Mixin
    public Pair pair;

    @Override
    public void check() {
      RdmaCommand.range("--requests", requests, 1, 1e9);
    }
  }

  @Command(name = "contract", header = "Calls of a gRPC service over the fabric and over HTTP/2.", description = {"",
    "A server has one method of each kind: unary, a stream from the server, a stream to the server, and streams in both directions. A "
      + "client calls them over a fabric and over HTTP/2, and compares the times.",
    ""})
  public static final class Contract implements RdmaCommand {
    @Option(names = "--calls", paramLabel = "N", description = "Default: 5000.")
    public int calls = 5000;

    @Mixin
    public Pair pair;

    @Override
    public void check() {
      RdmaCommand.range("--calls", calls, 1, 1e7);
    }
  }

  @Command(name = "node", hidden = true, header = "A node that greets other nodes over the event bus.")
  public static final class BusNode implements RdmaCommand {
    private static final int LAST_PORT = 65_535;

    @Option(names = "--node", required = true, paramLabel = "NAME", description = "Its name.")
    public String node;

    @Option(names = "--host", paramLabel = "HOST", description = "Host name or numeric address of this node; default: 127.0.0.1.")
    public String host = "127.0.0.1";

    @Option(names = "--port", paramLabel = "PORT", description = "TCP port of this node in the cluster; default: 5701.")
    public int port = 5701;

    @Option(names = "--members", split = ",", paramLabel = "HOST:PORT", description = "Addresses at which other nodes may run.")
    public List<String> members = List.of();

    @Option(names = "--fabric", paramLabel = "FABRIC", description = "Forces this fabric; empty or auto for the best.")
    public String fabric;

    @Option(names = "--page", paramLabel = "HOST:PORT", description = "Address at which this node serves the page of the cluster; "
      + "empty for no page.")
    public String page;

    @Option(names = "--metrics", paramLabel = "HOST:PORT", description = "Address at which this node serves its meters to Prometheus; "
      + "empty for none.")
    public String metrics;

    /** True if the node ends after it has shown that the others continue without C. */
    public boolean ends;

    @Override
    public void check() {
      RdmaCommand.range("--port", port, 1, LAST_PORT);
      fabric = fabric == null || fabric.isEmpty() || fabric.equals("auto") ? null : fabric;
      page = place("--page", page);
      metrics = place("--metrics", metrics);
      members = members.stream().filter(member -> !member.isEmpty()).toList();
      members = members.isEmpty() ? List.of(host + ":" + port) : members;
    }

    /** Returns null for an empty text, which Compose passes for an unset variable. */
    private static String place(String option, String value) {
      if (value == null || value.isEmpty()) {
        return null;
      }
      if (value.matches(".+:[0-9]{1,5}") && Integer.parseInt(value.substring(value.lastIndexOf(':') + 1)) <= LAST_PORT) {
        return value;
      }
      throw new UsageException(option + ' ' + value + ": use a host and a port, such as 127.0.0.1:7480");
    }
  }
}
