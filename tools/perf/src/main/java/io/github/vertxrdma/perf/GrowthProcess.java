package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.work.GrowingNode;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** A node of a growing cluster as who started it sees it. */
final class GrowthProcess {
  /** More than a node takes to say that something did not happen. */
  private static final int SECONDS = GrowingNode.SECONDS + 60;

  private final ChildProcess process;
  private boolean greeted;

  private GrowthProcess(String name, List<String> command) throws IOException {
    process = new ChildProcess(name, command);
  }

  /** The name, ports and runtime folder that the nodes of a cluster have in common. */
  static final class Cluster implements AutoCloseable {
    /** Beside those of the members: some may be taken. */
    private static final int MORE_PORTS = 8;

    private final Path folder = Files.createTempDirectory("rdma-growth");
    private final String fabric;
    private final int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
    private final int ports;
    private final List<ChildProcess> processes = new ArrayList<>();

    Cluster(String fabric, int nodes) throws IOException {
      this.fabric = fabric;
      this.ports = nodes + MORE_PORTS;
      Runtime.getRuntime().addShutdownHook(new Thread(this::close));
    }

    /** Starts a process; {@link #awaitReady} waits for it. */
    synchronized GrowthProcess start(int number) throws IOException {
      if (!Files.exists(folder)) {
        throw new PerfException("the cluster was closed");
      }
      GrowthProcess node = new GrowthProcess("node " + number, List.of(ChildProcess.JAVA, "-Xmx64m",
        "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xshare:auto", "--enable-native-access=ALL-UNNAMED",
        "-Dvertx.rdma.runtime=" + folder.resolve("run"), "-cp", System.getProperty("java.class.path"), GrowingNode.class.getName(),
        String.valueOf(number), fabric, "growth-" + folder.getFileName(), String.valueOf(port), String.valueOf(ports)));
      processes.add(node.process);
      return node;
    }

    /** Ends the processes; their files go with them. */
    @Override
    public synchronized void close() {
      ChildProcess.end(processes);
      processes.clear();
      if (Files.exists(folder)) {
        ChildProcess.delete(folder);
      }
    }
  }

  /** Waits until it is a member. */
  void awaitReady() throws InterruptedException {
    if (!greeted) {
      answer();
      greeted = true;
    }
  }

  JsonObject ask(String command) throws InterruptedException {
    process.tell(command);
    return answer();
  }

  /** Tells all of them at once, and waits for each. */
  static List<JsonObject> ask(List<GrowthProcess> nodes, String command) throws InterruptedException {
    for (GrowthProcess node : nodes) {
      node.process.tell(command);
    }
    List<JsonObject> answers = new ArrayList<>();
    for (GrowthProcess node : nodes) {
      answers.add(node.answer());
    }
    return answers;
  }

  private JsonObject answer() throws InterruptedException {
    return process.json(SECONDS);
  }

  Duration cpu() {
    return process.cpu();
  }

  long pid() {
    return process.pid();
  }

  /** Tells it something, whose answer is not waited for. */
  void tell(String command) throws InterruptedException {
    process.tell(command);
  }

  void kill() throws InterruptedException {
    process.kill();
  }
}
