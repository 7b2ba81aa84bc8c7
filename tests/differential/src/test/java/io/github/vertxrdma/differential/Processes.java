package io.github.vertxrdma.differential;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Starts the processes of one lane that find each other. */
final class Processes {
  /** Below the system's automatic ports. */
  private static final AtomicInteger NEXT_PORT = new AtomicInteger(ThreadLocalRandom.current().nextInt(12_000, 20_000));
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final Lane lane;
  private final boolean clustered;
  private final String classPath;
  private final List<String> jvmOptions;
  private final Path folder;
  private final String name;
  private final int clusterPort;
  private final int busPort;

  /**
   * @param clustered whether they are nodes of one cluster
   * @param jvmOptions further options
   * @param parent folder for their files
   */
  Processes(Lane lane, boolean clustered, String classPath, List<String> jvmOptions, Path parent) throws IOException {
    this.lane = lane;
    this.clustered = clustered;
    this.classPath = classPath;
    this.jvmOptions = jvmOptions;
    this.name = lane.name().toLowerCase() + '-' + NUMBER.incrementAndGet();
    this.folder = Files.createDirectories(parent.resolve(name));
    this.clusterPort = freePorts(10);
    this.busPort = freePort();
  }

  Lane lane() {
    return lane;
  }

  int busPort() {
    return busPort;
  }

  /** Does not wait until the process is ready. */
  Child reader() throws IOException {
    return start("reader", true);
  }

  Child writer() throws IOException {
    return start("writer", false);
  }

  private Child start(String role, boolean reads) throws IOException {
    String own = role + '-' + NUMBER.incrementAndGet();
    List<String> options = new ArrayList<>(jvmOptions);
    options.add("-Xmx192m");
    options.addAll(lane.options(folder, own, clustered));
    Map<String, String> environment = new HashMap<>(lane.environment());
    environment.putAll(Lane.secret());
    List<String> arguments = !clustered ? List.of("plain")
      : List.of("clustered", Integer.toString(clusterPort), name, lane.host(), Integer.toString(reads ? busPort : 0));
    return Child.start(name + '/' + own, options, environment, classPath, folder.resolve(own + ".log"), arguments);
  }

  /** Returns a port outside the system's automatic range, which stays free until a process listens there. */
  static int freePort() throws IOException {
    return freePorts(1);
  }

  static int freePorts(int count) throws IOException {
    for (int attempt = 0; attempt < 1000; attempt++) {
      int first = NEXT_PORT.getAndAdd(count);
      boolean free = true;
      for (int port = first; free && port < first + count; port++) {
        free = isFree(port);
      }
      if (free) {
        return first;
      }
    }
    throw new IOException("no " + count + " free ports in a row");
  }

  private static boolean isFree(int port) {
    try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      return probe.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
