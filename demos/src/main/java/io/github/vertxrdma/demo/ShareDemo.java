package io.github.vertxrdma.demo;

import io.github.vertxrdma.demo.ShareArguments.UsageException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Three nodes share a file through remote memory. Without {@code --node} it starts the three, each in a process of its own, and shows what
 * they say; it ends with 0 if all of them did.
 */
public final class ShareDemo {
  static final List<String> NODES = List.of("A", "B", "C");

  private ShareDemo() {
  }

  public static void main(String[] args) throws Exception {
    ShareArguments arguments;
    try {
      arguments = ShareArguments.parse(args);
      if (arguments.node() == null && arguments.fabric() != null) {
        FabricCheck.check(arguments.fabric());
      }
    } catch (UsageException e) {
      System.err.println("demo: " + e.getMessage());
      System.exit(2);
      return;
    }
    System.exit(arguments.node() == null ? startAll(arguments, args) : runNode(arguments));
  }

  private static int runNode(ShareArguments arguments) {
    try (DemoNode node = new DemoNode(arguments)) {
      return run(node, arguments);
    } catch (Exception e) {
      return failed(e);
    }
  }

  private static int run(DemoNode node, ShareArguments arguments) {
    try {
      if (arguments.node().equals("A")) {
        new Owner(node, arguments).run();
      } else {
        new Guest(node, arguments).run();
      }
      return 0;
    } catch (Exception e) {
      // Said, and ended, before anything is closed: closing in order would wait for those who were lost.
      return failed(e);
    }
  }

  private static int failed(Exception e) {
    Throwable cause = DemoNode.cause(e);
    System.out.println("failed: " + (cause.getMessage() == null ? cause.toString() : cause.getMessage()));
    if (Boolean.getBoolean("vertx.rdma.demo.trace")) {
      cause.printStackTrace();
    }
    System.out.flush();
    Runtime.getRuntime().halt(1);
    return 1;
  }

  private static int startAll(ShareArguments arguments, String[] args) throws IOException, InterruptedException {
    int port = freePorts();
    Screen screen = new Screen(System.console() != null && System.console().isTerminal());
    screen.line("sharing " + arguments.file() + " (" + DemoNode.mebibytes(arguments.file().toFile().length()) + " MiB) among nodes "
      + String.join(", ", NODES) + (arguments.fabric() == null ? "" : " over " + arguments.fabric()));
    List<Process> processes = new ArrayList<>();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> processes.forEach(Process::destroyForcibly)));
    List<Thread> readers = new ArrayList<>();
    for (String node : NODES) {
      Process process = start(node, port, args);
      processes.add(process);
      Thread reader = new Thread(() -> screen.show(node, process.getInputStream()), "output of " + node);
      reader.start();
      readers.add(reader);
    }
    int worst = 0;
    for (int i = 0; i < NODES.size(); i++) {
      int status = processes.get(i).waitFor();
      readers.get(i).join();
      if (status != 0) {
        screen.line("node " + NODES.get(i) + " ended with " + (status > 128 ? "signal " + (status - 128) : "status " + status));
        worst = 1;
      }
    }
    screen.line(worst == 0 ? "done: all nodes have the same file" : "the demo failed");
    return worst;
  }

  private static Process start(String node, int port, String[] args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), ShareDemo.class.getName(), "--node", node, "--port",
      Integer.toString(port)));
    command.addAll(List.of(args));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile().exists() ? Path.of("/dev/null").toFile()
      : Path.of("NUL").toFile()));
    return builder.start();
  }

  /** The first of as many free ports in a row as there are nodes. */
  private static int freePorts() throws IOException {
    for (int attempt = 0; attempt < 100; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
      int free = 0;
      while (free < NODES.size() && isFree(port + free)) {
        free++;
      }
      if (free == NODES.size()) {
        return port;
      }
    }
    throw new IOException("no three free ports in a row on the loopback address");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
