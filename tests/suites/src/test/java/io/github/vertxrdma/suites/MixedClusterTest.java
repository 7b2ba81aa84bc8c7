package io.github.vertxrdma.suites;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.hazelcast.config.Config;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.impl.transport.TransportCounters;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.OtherVersion;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that no common fabric serves use TCP. */
class MixedClusterTest {
  private static final List<String> NODES = List.of("full", "plain", "newer", "java", "native");
  /** More than a cluster has members: tests of other processes may take some after they were found free. */
  static final int PORTS = 8;

  @TempDir
  Path folder;

  @Test
  @Tag("long")
  @Timeout(240)
  void allTalkToAll() throws Exception {
    String port = Integer.toString(freePorts());
    Map<String, ChildJvm> children = new LinkedHashMap<>();
    try {
      children.put("plain", ChildJvm.startOn(plain(folder), Node.class, "plain", port));
      children.put("newer", ChildJvm.startOn(newer(), Node.class, "newer", port));
      children.put("java", ChildJvm.startOn(without(path -> holds(path, "libfabric") || holds(path, "verbs")), Node.class, "java", port));
      children.put("native", ChildJvm.startOn(without(path -> holds(path, "nio")), Node.class, "native", port));
      for (ChildJvm child : children.values()) {
        child.await("ready");
      }
      Vertx vertx = Node.start("full", Integer.parseInt(port));
      try {
        for (String node : NODES) {
          assertEquals(String.join(",", NODES), Node.await(vertx.eventBus().request("ask " + node, "").map(m -> (String) m.body())),
            node + " was answered by");
        }
        System.out.println("mixed cluster: " + TransportCounters.PROCESS);
        assertTrue(TransportCounters.PROCESS.channels() > 0, "nothing went over a fabric");
        assertTrue(TransportCounters.PROCESS.fallbacks() > 0, "the node of another version was reached over a fabric");
      } finally {
        Node.await(vertx.close());
      }
    } finally {
      children.values().forEach(ChildJvm::close);
    }
  }

  static Config config(String cluster, int port) {
    return QuietHazelcast.loopback(cluster + "-" + port, port, PORTS);
  }

  static int freePorts() throws IOException {
    for (int attempt = 0; attempt < 100; attempt++) {
      int first = ThreadLocalRandom.current().nextInt(20_000, 32_000);
      if (IntStream.range(first, first + PORTS).allMatch(MixedClusterTest::free)) {
        return first;
      }
    }
    throw new IOException("no " + PORTS + " free ports in a row");
  }

  private static boolean free(int port) {
    try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      return probe.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  private static List<String> classPath() {
    return Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator));
  }

  private static String without(Predicate<Path> what) {
    return classPath().stream().filter(entry -> !what.test(Path.of(entry))).collect(Collectors.joining(File.pathSeparator));
  }

  private static boolean holds(Path entry, String provider) {
    return Files.isDirectory(entry) ? Files.isDirectory(entry.resolve("io/github/vertxrdma/provider").resolve(provider))
      : entry.getFileName().toString().startsWith("vertx-rdma-provider-" + provider);
  }

  /** Returns a class path without this library, with the test's node and the class that configures Hazelcast. */
  static String plain(Path folder) throws IOException {
    Path own = copy(folder.resolve("plain"), QuietHazelcast.class.getName());
    String tests = testClasses();
    List<String> entries = new ArrayList<>(List.of(own.toString(), tests));
    classPath().stream().filter(entry -> !entry.equals(tests) && (Files.isDirectory(Path.of(entry))
      ? !Files.isDirectory(Path.of(entry, "io/github/vertxrdma")) : !Path.of(entry).getFileName().toString().startsWith("vertx-rdma")))
      .forEach(entries::add);
    return String.join(File.pathSeparator, entries);
  }

  private static String testClasses() {
    try {
      return Path.of(MixedClusterTest.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private String newer() throws IOException, InterruptedException {
    int next = OtherVersion.highest() + 1;
    Path other = OtherVersion.ofLinks(Files.createDirectory(folder.resolve("newer")), next, next);
    return other + File.pathSeparator + System.getProperty("java.class.path");
  }

  private static Path copy(Path folder, String type) throws IOException {
    String file = type.replace('.', '/') + ".class";
    Path to = folder.resolve(file);
    Files.createDirectories(to.getParent());
    try (InputStream in = MixedClusterTest.class.getClassLoader().getResourceAsStream(file)) {
      Files.write(to, in.readAllBytes());
    }
    return folder;
  }

  static final class Node {
    private Node() {
    }

    public static void main(String[] args) throws Exception {
      start(args[0], Integer.parseInt(args[1]));
      System.out.println("ready");
    }

    static Vertx start(String name, int port) throws Exception {
      VertxOptions options = new VertxOptions();
      options.getEventBusOptions().setHost("127.0.0.1");
      Vertx vertx = await(Vertx.builder().with(options)
        .withClusterManager(new HazelcastClusterManager(config("mixed", port))).buildClustered());
      await(vertx.eventBus().consumer(name, m -> m.reply(name)).completion());
      await(vertx.eventBus().consumer("ask " + name, m -> {
        List<Future<String>> answers = NODES.stream()
          .map(node -> vertx.eventBus().request(node, "").map(answer -> (String) answer.body()).otherwise(Throwable::getMessage)).toList();
        Future.join(answers).onComplete(done -> m.reply(answers.stream().map(Future::result).collect(Collectors.joining(","))));
      }).completion());
      return vertx;
    }

    static <T> T await(Future<T> future) throws Exception {
      return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
  }
}
