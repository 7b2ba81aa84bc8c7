package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the share demo over several fabrics, and kills node A while the others fetch. */
@Timeout(480)
class ShareDemoTest {
  private static final int SIZE = 20 << 20;
  @TempDir
  Path folder;

  private Path file() throws Exception {
    byte[] content = new byte[SIZE];
    new Random(SIZE).nextBytes(content);
    return Files.write(folder.resolve("file"), content);
  }

  /** Skips a fabric that this machine lacks, with the reason that the demo prints. */
  private static void assumePresent(DemoProcess demo) {
    String words = demo.output();
    Assumptions.assumeFalse(words.contains("there is no fabric"), () -> demo.line("there is no fabric"));
  }

  @Test
  void allNodesGetTheFile() throws Exception {
    allGetTheFile("nio");
  }

  @Test
  @Tag("full")
  void allNodesGetTheFileOverSharedMemory() throws Exception {
    allGetTheFile("shm");
  }

  private void allGetTheFile(String fabric) throws Exception {
    Path file = file();
    try (DemoProcess demo = DemoProcess.start(file.toString(), "--fabric", fabric)) {
      int status = demo.waitFor();
      assumePresent(demo);
      assertEquals(0, status, demo::output);
      String sha = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
      for (String node : Main.NODES) {
        assertTrue(demo.output().contains(node + " | SHA-256 " + sha), demo::output);
      }
      assertTrue(demo.output().contains("A | nodes that fetched the file: 2"), demo::output);
      assertTrue(demo.output().contains("A | B has written its result"), demo::output);
      assertTrue(demo.output().contains("A | C has written its result"), demo::output);
      assertTrue(demo.output().contains("B | fabric: "), demo::output);
      assertTrue(demo.output().contains("C | 100 %"), demo::output);
      // The demo prints strategies only for operations that the region permits.
      assertTrue(demo.line("C | fetches region 'file', ").endsWith(" (not shared for writes or atomics)"), demo::output);
      assertTrue(demo.line("C | writes to region 'results', ").contains("; atomics: by "), demo::output);
      // A busy machine delays a loop for the 2 s after which Vert.x logs a warning.
      assertTrue(demo.output().lines().noneMatch(line -> line.contains("WARNING") && !line.contains("has been blocked for")), demo::output);
    }
  }

  /**
   * Prints the time, which should be at most 2 s. A busy machine may take longer to stop the processes, so the guests have a minute. With
   * nio the fabric's connection reports the loss, otherwise the control connection and the shared memory.
   */
  @ParameterizedTest
  @Tag("full")
  @ValueSource(strings = {"nio", "shm"})
  void lossOfNodeAIsReportedAtOnce(String fabric) throws Exception {
    try (DemoProcess demo = DemoProcess.start(List.of("-Dvertx.rdma.demo.grace=60"), file().toString(), "--fabric", fabric, "--limit",
      "1")) {
      demo.await(
        () -> !demo.isAlive() || Stream.of("B", "C").allMatch(n -> demo.output().lines().anyMatch(l -> l.matches(n + " \\| \\d+ %"))));
      assumePresent(demo);
      assertTrue(demo.isAlive(), demo::output);
      long killed = System.nanoTime();
      demo.node("A").destroyForcibly();
      demo.await(() -> Stream.of("B", "C").allMatch(n -> demo.output().contains(n + " | failed: lost node A")));
      System.out.printf("%s: both guests reported the loss of node A after %d ms%n", fabric,
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killed));
      Stream.of("B", "C").forEach(guest -> System.out.println(demo.line(guest + " | failed")));
      assertNotEquals(0, demo.waitFor(), demo::output);
      assertTrue(demo.output().contains("node A ended with signal 9\n"), demo::output);
      for (String guest : List.of("B", "C")) {
        assertTrue(demo.output().contains("node " + guest + " ended with status 1"), demo::output);
      }
    }
  }

  /** Guests without an owner fail, and the demo does not wait for a node that hangs. */
  @Test
  @Tag("full")
  void demoEndsWhenNodeAHangs() throws Exception {
    try (DemoProcess demo = DemoProcess.start(List.of("-Dvertx.rdma.demo.timeout=5"), file().toString(), "--fabric", "nio")) {
      demo.await(() -> demo.hasNode("A"));
      demo.signal("A", "STOP");
      assertNotEquals(0, demo.waitFor(), demo::output);
      assertTrue(demo.output().contains("node A is killed, because node "), demo::output);
      assertTrue(demo.output().endsWith("the demo failed\n"), demo::output);
    }
  }

  @Test
  void missingFileIsReportedInOneLine() throws Exception {
    try (DemoProcess demo = DemoProcess.start(folder.resolve("nothing").toString())) {
      assertEquals(2, demo.waitFor());
      assertEquals("rdma demo: there is no file " + folder.resolve("nothing") + "; see ./rdma demo --help", demo.output().strip());
    }
    try (DemoProcess demo = DemoProcess.start("bsu")) {
      assertEquals(2, demo.waitFor());
      assertEquals("rdma demo: there is no file bsu, and no such demo; see ./rdma demo --help", demo.output().strip());
    }
  }

  /** Each of the three nodes looks for the fabric, and the first failure ends the others. */
  @Test
  @Tag("full")
  void unknownFabricIsNamed() throws Exception {
    try (DemoProcess demo = DemoProcess.start(file().toString(), "--fabric", "carrier-pigeon")) {
      assertEquals(1, demo.waitFor(), demo::output);
      assertTrue(Main.NODES.stream()
        .anyMatch(node -> demo.output().contains(node + " | failed: there is no fabric 'carrier-pigeon' here; there are ")), demo::output);
      assertTrue(demo.output().endsWith("the demo failed\n"), demo::output);
    }
  }
}
