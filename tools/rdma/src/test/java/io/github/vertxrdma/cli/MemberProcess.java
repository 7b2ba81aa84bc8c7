package io.github.vertxrdma.cli;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.vertx.core.Vertx;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/** A process that tests may kill: a member of a Hazelcast cluster, or a command of the launcher. */
final class MemberProcess implements AutoCloseable {
  private static final int MEMBERS = 3;

  private final Process process;
  private final BufferedReader output;

  private MemberProcess(Process process) {
    this.process = process;
    this.output = process.inputReader(StandardCharsets.UTF_8);
  }

  private static MemberProcess java(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
      "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m", "-cp",
      System.getProperty("java.class.path")));
    command.addAll(List.of(arguments));
    return new MemberProcess(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Starts a member. Its first line of output is its node's id. */
  static MemberProcess member(int firstPort, String service) throws IOException {
    return java(MemberProcess.class.getName(), Integer.toString(firstPort), service);
  }

  static String cluster(int firstPort) {
    return "cli-test-" + firstPort;
  }

  static int freePorts() throws IOException {
    for (int attempt = 0; attempt < 100; attempt++) {
      int first = ThreadLocalRandom.current().nextInt(20_000, 32_000);
      if (IntStream.range(first, first + MEMBERS).allMatch(MemberProcess::isFree)) {
        return first;
      }
    }
    throw new IOException("no " + MEMBERS + " free ports in a row");
  }

  private static boolean isFree(int port) {
    try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      return probe.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  String line() {
    try {
      String line = output.readLine();
      if (line == null) {
        throw new IllegalStateException("the process has ended");
      }
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  public static void main(String[] args) throws IOException {
    int port = Integer.parseInt(args[0]);
    try {
      Vertx vertx = Membership.await(Vertx.builder()
        .withClusterManager(new HazelcastClusterManager(QuietHazelcast.loopback(cluster(port), port, MEMBERS))).buildClustered());
      Rdma rdma = Rdma.create(vertx, new RdmaOptions().setFabric("nio"));
      Membership.await(rdma.createServer().connectHandler(connection -> connection.handler(connection::write)).listen(args[1]));
      System.out.println(Membership.await(rdma.directory()).nodeId());
      new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
    } finally {
      Runtime.getRuntime().halt(1);
    }
  }
}
