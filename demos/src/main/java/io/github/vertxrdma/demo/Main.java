package io.github.vertxrdma.demo;

import com.hazelcast.config.Config;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.commands.Commands;
import io.github.vertxrdma.commands.Demo;
import io.github.vertxrdma.commands.RdmaCommand;
import io.vertx.core.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/** Runs a demo: {@code java -cp … io.github.vertxrdma.demo.Main demo [NAME] [OPTION…]}. Each node is a process. */
public final class Main {
  static final List<String> NODES = Demo.Node.NAMES;
  /** Maximum time to wait for an event. */
  static final Duration PATIENCE = Duration.ofSeconds(Integer.getInteger("vertx.rdma.demo.timeout", 60));
  static final RdmaConnectOptions PATIENT = new RdmaConnectOptions().setLookupTimeout(PATIENCE);
  /** Time in which other nodes can report the loss of a node, before they are killed. */
  private static final int GRACE_SECONDS = Integer.getInteger("vertx.rdma.demo.grace", 5);

  /** Work of one process. */
  interface Work {
    void run() throws Exception;
  }

  /** Runs a demo and ends the process: status 0 for success, 1 for failure, 2 for wrong use. */
  public static void main(String[] line) {
    System.exit(Commands.run(line, command -> run(command, line)));
  }

  private static int run(RdmaCommand command, String[] line) throws Exception {
    return switch (command) {
      case Demo share -> nodes(share.node, line, "sharing " + share.file, "all nodes have the same file", () -> ShareDemo.run(share));
      case Demo.Functions functions -> nodes(functions.node, line, "working through " + functions.folder,
        "the workers' results are those of one thread", () -> FunctionsDemo.run(functions));
      case Demo.Bus bus -> nodes(bus.node, line, "greeting each other", "A and B go on without C", () -> BusDemo.run(bus.busNode()));
      case Demo.BusNode node -> BusDemo.run(node);
      case Demo.Kv kv -> DemoPair.run(kv.pair, line, pair -> BesideTcp.kv(pair, kv));
      case Demo.Http http -> DemoPair.run(http.pair, line, pair -> BesideTcp.http(pair, http));
      case Demo.Service service -> DemoPair.run(service.pair, line, pair -> Services.service(pair, service));
      case Demo.Contract contract -> DemoPair.run(contract.pair, line, pair -> Services.contract(pair, contract));
      default -> throw new IllegalArgumentException("no demo");
    };
  }

  static void say(String node, String words, Object... values) {
    System.out.println(node + " | " + (values.length == 0 ? words : String.format(Locale.ROOT, words, values)));
  }

  /** Waits for a future, at most {@link #PATIENCE}. */
  static <T> T await(Future<T> future) throws Exception {
    try {
      return future.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new TimeoutException("cannot continue: no result after " + PATIENCE.toSeconds() + " s");
    }
  }

  /** Returns the cluster configuration: on this machine, or on several hosts. */
  static Config cluster(Demo.Node node) {
    String name = "vertx-rdma-demo";
    int ports = NODES.size();
    return node.host == null ? QuietHazelcast.loopback(name, node.port, ports)
      : QuietHazelcast.among(name, node.host, node.port, ports, node.members.stream()
        .map(member -> member.indexOf(':') < 0 ? member : '[' + member + ']')
        .flatMap(member -> IntStream.range(node.port, node.port + ports).mapToObj(port -> member + ':' + port)).toList());
  }

  static RdmaOptions options(Demo.Node node) {
    return new RdmaOptions().setFabric(node.fabric).setHost(node.host).setConnectTimeout(PATIENCE);
  }

  /** Runs one node, or starts all and waits for their ends. Returns the exit status. */
  static int nodes(Demo.Node node, String[] line, String begins, String done, Work one) throws Exception {
    if (node.name != null) {
      if (node.endsWithParent) {
        ProcessHandle.current().parent().orElseThrow().onExit().thenRun(() -> Runtime.getRuntime().halt(1));
      }
      try {
        one.run();
      } catch (Throwable e) {
        say(node.name, "failed: " + Commands.words(e));
        // Does not close, which would wait for lost nodes.
        Runtime.getRuntime().halt(1);
      }
      return 0;
    }
    System.out.println(begins + (node.fabric == null ? "" : " over " + node.fabric));
    String port = Integer.toString(freePorts(NODES.size()));
    Map<String, Process> nodes = new TreeMap<>();
    for (String name : NODES) {
      nodes.put(name, DemoPair.start(line, text -> System.out.println(text.startsWith(name + " | ") ? text : name + " | " + text), "--node",
        name, "--port", port, "--ends-with-parent"));
    }
    List<CompletableFuture<Boolean>> ends = new ArrayList<>();
    nodes.forEach((name, process) -> ends.add(process.onExit().thenApply(ended -> endedWell(name, ended, nodes))));
    CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)).join();
    boolean well = ends.stream().allMatch(CompletableFuture::join);
    DemoPair.awaitOutputs();
    System.out.println(well ? "done: " + done : "the demo failed");
    return well ? 0 : 1;
  }

  private static boolean endedWell(String name, Process process, Map<String, Process> nodes) {
    int status = process.exitValue();
    if (status == 0) {
      return true;
    }
    System.out.println("node " + name + " ended with " + (status > 128 ? "signal " + (status - 128) : "status " + status));
    CompletableFuture.delayedExecutor(GRACE_SECONDS, TimeUnit.SECONDS).execute(() -> nodes.forEach((other, left) -> {
      if (left.isAlive()) {
        System.out.println("node " + other + " is killed, because node " + name + " has failed");
        left.destroyForcibly();
      }
    }));
    return false;
  }

  /** Returns the first of {@code count} consecutive free TCP ports. */
  static int freePorts(int count) throws IOException {
    int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
    for (int i = 0; i < count; i++) {
      try {
        new ServerSocket(port + i, 1, InetAddress.getLoopbackAddress()).close();
      } catch (IOException e) {
        return freePorts(count);
      }
    }
    return port;
  }
}
