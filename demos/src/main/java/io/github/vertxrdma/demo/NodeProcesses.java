package io.github.vertxrdma.demo;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** The nodes of a demo, each in a process of its own: the demo's class again, with {@code --node} and {@code --port}. */
final class NodeProcesses {
  private NodeProcesses() {
  }

  /** Runs them until all have ended, and shows what they say. @return 0 if all ended with 0 */
  static int run(Class<?> main, List<String> nodes, String[] args, Screen screen) throws IOException, InterruptedException {
    int port = freePorts(nodes.size());
    List<Process> processes = new ArrayList<>();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> processes.forEach(Process::destroyForcibly)));
    List<Thread> readers = new ArrayList<>();
    for (String node : nodes) {
      Process process = start(main, List.of(), node, port, args);
      processes.add(process);
      Thread reader = new Thread(() -> screen.show(node, process.getInputStream()), "output of " + node);
      reader.start();
      readers.add(reader);
    }
    int worst = 0;
    for (int i = 0; i < nodes.size(); i++) {
      int status = processes.get(i).waitFor();
      readers.get(i).join();
      if (status != 0) {
        screen.line("node " + nodes.get(i) + " ended with " + (status > 128 ? "signal " + (status - 128) : "status " + status));
        worst = 1;
      }
    }
    return worst;
  }

  /** Starts one. @param flags of the virtual machine, beside those of this one */
  static Process start(Class<?> main, List<String> flags, String node, int port, String[] args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName(), "--node", node, "--port",
      Integer.toString(port)));
    command.addAll(List.of(args));
    File nothing = new File(File.separatorChar == '/' ? "/dev/null" : "NUL");
    return new ProcessBuilder(command).redirectErrorStream(true).redirectInput(ProcessBuilder.Redirect.from(nothing)).start();
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
