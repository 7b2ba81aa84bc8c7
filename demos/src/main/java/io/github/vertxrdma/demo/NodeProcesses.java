package io.github.vertxrdma.demo;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The nodes of a demo, each in a process of its own: the demo's command line again, with {@code --node} and {@code --port}. Their inputs
 * end with this process, however it ends, and so do they.
 */
final class NodeProcesses {
  /** For the others to say what they make of it. */
  private static final int GRACE_SECONDS = 5;

  private final Screen screen;
  private final Map<String, Process> processes = new LinkedHashMap<>();
  private final Map<String, Thread> readers = new LinkedHashMap<>();
  private final Set<String> killed = new HashSet<>();

  /** Starts them. @param flags of the virtual machines, beside those of this one @param port first port of the cluster */
  NodeProcesses(List<String> flags, int port, String[] line, Screen screen) throws IOException {
    this.screen = screen;
    Runtime.getRuntime().addShutdownHook(new Thread(() -> processes.values().forEach(Process::destroyForcibly)));
    for (String node : NodeDemo.NODES) {
      List<String> command = again(flags, line);
      command.addAll(List.of("--node", node, "--port", Integer.toString(port), "--ends-with-input"));
      processes.put(node, new ProcessBuilder(command).redirectErrorStream(true).start());
    }
  }

  /** This command line again, for another process. @param flags of the virtual machine, beside those of this one */
  static List<String> again(List<String> flags, String[] line) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of(line));
    return command;
  }

  /**
   * Runs them until all have ended, and shows what they say, what they do before it and what they did behind.
   *
   * @return 0 if all ended with 0
   */
  static int run(String[] line, String begins, String done) throws IOException, InterruptedException {
    Screen screen = Screen.create();
    screen.line(begins);
    NodeProcesses nodes = new NodeProcesses(List.of(), freePorts(NodeDemo.NODES.size()), line, screen);
    nodes.show(said -> {});
    nodes.endTogether();
    int worst = 0;
    for (String node : NodeDemo.NODES) {
      worst = nodes.endsWell(node) ? worst : 1;
    }
    screen.line(worst == 0 ? "done: " + done : "the demo failed");
    return worst;
  }

  /** Ends all some seconds after one has failed that was not killed here: what the others wait for may never come. */
  void endTogether() {
    Executor later = CompletableFuture.delayedExecutor(GRACE_SECONDS, TimeUnit.SECONDS);
    processes.forEach((node, process) -> process.onExit().thenAccept(ended -> {
      if (ended.exitValue() != 0 && !wasKilled(node)) {
        later.execute(() -> processes.forEach((other, left) -> {
          if (left.isAlive()) {
            screen.line("node " + other + " is ended, as node " + node + " has failed");
            kill(other);
          }
        }));
      }
    }));
  }

  /** Shows what they say from now on. @param heard hears each line after it was shown, on a thread of its node */
  void show(Consumer<String> heard) {
    processes.forEach(
      (node, process) -> readers.put(node, new Thread(() -> screen.show(node, process.getInputStream(), heard), "output of " + node)));
    readers.values().forEach(Thread::start);
  }

  /** Ends it at once; its status means nothing from then on, unless it has ended by itself already. Any thread. */
  void kill(String node) {
    Process process = processes.get(node);
    synchronized (killed) {
      if (process.isAlive()) {
        killed.add(node);
        process.destroyForcibly();
      }
    }
  }

  private boolean wasKilled(String node) {
    synchronized (killed) {
      return killed.contains(node);
    }
  }

  /** Waits until it has ended and everything was shown. @return whether it ended with 0 or was killed here; else that is shown too */
  boolean endsWell(String node) throws InterruptedException {
    int status = processes.get(node).waitFor();
    readers.get(node).join();
    if (status == 0 || wasKilled(node)) {
      return true;
    }
    screen.line("node " + node + " ended with " + (status > 128 ? "signal " + (status - 128) : "status " + status));
    return false;
  }

  /** The first of so many free ports in a row. */
  static int freePorts(int count) throws IOException {
    for (int attempt = 0; attempt < 100; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
      int free = 0;
      while (free < count && isFree(port + free)) {
        free++;
      }
      if (free == count) {
        return port;
      }
    }
    throw new IOException("no " + count + " free ports in a row on the loopback address");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
