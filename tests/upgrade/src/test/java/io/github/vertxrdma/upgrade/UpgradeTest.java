package io.github.vertxrdma.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.FixedPorts;
import io.github.vertxrdma.provider.contract.OtherVersion;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nodes under traffic are replaced one by one by another build, and back. The fabric is forced, so an operation fails if its pair leaves
 * the fabric, except with the first build: this one and that use TCP for each other's event buses. Traffic with a replaced node by its
 * name pauses; calls of services that all nodes serve do not.
 */
@Tag("full")
@Timeout(300)
class UpgradeTest {
  private static final List<String> NAMES = List.of("a", "b", "c");
  private static final String RANGES = "base/src/main/java/io/github/vertxrdma/base/VersionRange.java";
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  @TempDir
  static Path builds;

  private static String first;

  @TempDir
  Path folder;

  private final Map<String, ChildJvm> nodes = new LinkedHashMap<>();
  private String fabric;
  private boolean forced;
  private String port;

  @AfterEach
  void close() {
    nodes.values().forEach(ChildJvm::close);
  }

  @ParameterizedTest
  @ValueSource(strings = {"shm", "nio"})
  void nextBuildReplacesThisOneAndBack(String over) throws Exception {
    String present = System.getProperty("java.class.path");
    forced = true;
    replace(over, present, OtherVersion.next(folder) + File.pathSeparator + present);
  }

  @Test
  void thisBuildReplacesTheFirstWithRangesAndBack() throws Exception {
    replace("shm", first(), System.getProperty("java.class.path"));
  }

  /**
   * Nodes of the two builds meet in different ways in the folder, and keep each other's files. They have a runtime folder of their own: the
   * first build does not answer if many processes have asked whether it lives.
   */
  @Test
  void nodesOfThisBuildAndTheFirstWithRangesShareFolder(@TempDir Path runtime) throws Exception {
    List<ChildJvm> pair = new ArrayList<>();
    for (String build : List.of(first(), System.getProperty("java.class.path"), first(), System.getProperty("java.class.path"))) {
      String name = "node" + pair.size();
      nodes.put(name, ChildJvm.startOn(build, FolderNode.class, folder.toString(), name, runtime.toString()));
      pair.add(nodes.get(name));
      pair.getLast().await("ready");
    }
    for (int round = 0; round < 2; round++) {
      for (int node = 0; node < pair.size(); node++) {
        String peer = "node" + (node + 2) % pair.size();
        pair.get(node).send(peer);
        assertEquals(peer, pair.get(node).await("connected with"));
      }
      // Longer than the interval between two reads of the folder.
      TimeUnit.SECONDS.sleep(6);
    }
    for (ChildJvm node : pair) {
      node.send("stop");
      assertEquals(0, node.waitFor());
    }
    try (Stream<Path> files = Files.walk(folder)) {
      assertEquals(List.of(), files.filter(file -> !Files.isDirectory(file)).map(Path::getFileName).map(Path::toString)
        .filter(file -> !file.equals(".lock")).toList());
    }
  }

  private void replace(String over, String before, String after) throws Exception {
    fabric = over;
    port = Integer.toString(FixedPorts.free(NAMES.size()));
    for (String name : NAMES) {
      start(name, before);
    }
    for (String build : List.of(after, before)) {
      for (String name : NAMES) {
        stop(name);
        start(name, build);
      }
    }
    for (String name : NAMES) {
      stop(name);
    }
  }

  /** Also starts traffic in both directions. */
  private void start(String name, String classPath) throws Exception {
    List<String> others = others(name);
    ChildJvm node = ChildJvm.startOn(classPath, UpgradeNode.class, name, forced ? fabric : "-", port);
    nodes.put(name, node);
    node.await("ready");
    for (String other : others) {
      node.send("meet " + other);
      assertMet(node.await("met " + other));
      nodes.get(other).send("meet " + name);
      assertMet(nodes.get(other).await("met " + name));
    }
  }

  private void stop(String name) throws Exception {
    for (String other : others(name)) {
      nodes.get(other).send("leave " + name);
      assertComplete(nodes.get(other).await("left " + name));
    }
    ChildJvm node = nodes.remove(name);
    try (node) {
      node.send("stop");
      assertComplete(node.await("calls"));
      String byTcp = node.await("tcp");
      assertTrue(!forced || byTcp.equals("[]"), () -> "connections of " + name + " over TCP: " + byTcp);
      node.await("stopped");
      node.printed("left ").forEach(UpgradeTest::assertComplete);
      assertEquals(0, node.waitFor());
    }
  }

  private void assertMet(String fabrics) {
    assertEquals(List.of(fabric, fabric), Arrays.asList(fabrics.split(" ")), "fabric of a connection and of a region");
  }

  private static void assertComplete(String traffic) {
    assertTrue(traffic.endsWith(" complete"), traffic);
  }

  private List<String> others(String name) {
    return nodes.keySet().stream().filter(other -> !other.equals(name)).toList();
  }

  /** Builds the commit that introduced ranges of versions from the history. */
  private static String first() throws Exception {
    if (first != null) {
      return first;
    }
    if (!Files.exists(ROOT.resolve(".git"))) {
      return abort("the sources have no history from which the first build with ranges of versions could be made");
    }
    if (run(ROOT, "git", "rev-parse", "--is-shallow-repository").strip().equals("true")) {
      return abort("the clone is shallow: the first build with ranges of versions is not in its history");
    }
    List<String> commits = run(ROOT, "git", "log", "--diff-filter=A", "--format=%H", "--", RANGES).lines().toList();
    if (commits.isEmpty()) {
      return abort("the commit that introduced ranges of versions is not in the history yet");
    }
    Path sources = Files.createDirectory(builds.resolve("first"));
    Path archive = builds.resolve("first.tar");
    run(ROOT, "git", "archive", "-o", archive.toString(), commits.getLast());
    run(sources, "tar", "-xf", archive.toString());
    run(sources, "mvn", "-o", "-B", "-q", "-T", "2", "-pl",
      "cluster-bootstrap,extensions/functions,extensions/grpc,provider-spi/nio,provider-spi/shm,testing/contract",
      "-am", "compile");
    first = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator)).map(Path::of)
      .map(entry -> entry.startsWith(ROOT) && !entry.endsWith("test-classes")
        ? sources.resolve(ROOT.relativize(entry.getParent())).resolve("classes") : entry)
      .map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    return first;
  }

  private static String run(Path directory, String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(new ArrayList<>(List.of(command))).directory(directory.toFile()).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), () -> String.join(" ", command) + ": " + printed);
    return printed;
  }
}
