package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.work.GrowingNode;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** A cluster of processes that grows: the name, ports and runtime folder that its nodes have in common. */
final class GrowingCluster implements AutoCloseable {
  /** Beside those of the members: some may be taken. */
  private static final int MORE_PORTS = 8;
  /** More than a node takes to say that something did not happen. */
  private static final int SECONDS = GrowingNode.SECONDS + 60;

  private final Path folder = Files.createTempDirectory("rdma-growth");
  private final String fabric;
  private final int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
  private final int ports;
  private final List<ChildProcess> processes = new ArrayList<>();

  GrowingCluster(String fabric, int nodes) throws IOException {
    this.fabric = fabric;
    this.ports = nodes + MORE_PORTS;
    Runtime.getRuntime().addShutdownHook(new Thread(this::close));
  }

  /** Starts a process, which is ready once it is a member. */
  synchronized ChildProcess start(int number) throws IOException {
    if (!Files.exists(folder)) {
      throw new PerfException("the cluster was closed");
    }
    ChildProcess node = new ChildProcess("node " + number, List.of(ChildProcess.JAVA, "-Xmx64m",
      "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xshare:auto", "--enable-native-access=ALL-UNNAMED",
      "-Dvertx.rdma.runtime=" + folder.resolve("run"), "-cp", System.getProperty("java.class.path"), GrowingNode.class.getName(),
      String.valueOf(number), fabric, "growth-" + folder.getFileName(), String.valueOf(port), String.valueOf(ports)), SECONDS);
    processes.add(node);
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

  /** Tells all of them at once, and waits for each. */
  static List<JsonObject> ask(List<ChildProcess> nodes, String command) throws InterruptedException {
    for (ChildProcess node : nodes) {
      node.tell(command);
    }
    List<JsonObject> answers = new ArrayList<>();
    for (ChildProcess node : nodes) {
      answers.add(node.json());
    }
    return answers;
  }
}
