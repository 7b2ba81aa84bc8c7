package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.contract.ChildJvm;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes greet each other on the event bus, in three processes and in one. */
@Timeout(480)
@Tag("full")
class BusDemoTest {
  @TempDir
  Path folder;

  private static void assertSaid(DemoProcess demo, String pattern) {
    assertTrue(Pattern.compile(pattern).matcher(demo.output()).find(), () -> "'" + pattern + "' is not in\n" + demo.output());
  }

  @Test
  @Tag("full")
  void nodesContinueWhenOneIsKilled() throws Exception {
    nodesGoOn("nio");
  }

  @ParameterizedTest
  @Tag("long")
  @ValueSource(strings = {"shm", "tcp", "rxm"})
  void nodesGoOnOverEachFabric(String fabric) throws Exception {
    nodesGoOn(fabric);
  }

  /** Uses options that differ from the defaults: the event bus and the demo are one node with the same options. */
  private void nodesGoOn(String fabric) throws Exception {
    Path options = Files.writeString(folder.resolve("options.json"), "{\"deadTimeout\": 120000}");
    try (DemoProcess demo = DemoProcess.start(List.of(), Map.of("VERTX_RDMA_CONFIG", options.toString()), "bus", "--fabric", fabric)) {
      int status = demo.waitFor();
      Assumptions.assumeFalse(demo.output().contains("there is no fabric"), () -> demo.line("there is no fabric"));
      assertEquals(0, status, demo::output);
      assertSaid(demo, "C \\| exits without closing\n");
      for (String pair : List.of("AB", "BA")) {
        String node = pair.substring(0, 1);
        assertSaid(demo, node + " \\| greeted by " + pair.charAt(1) + ", over " + fabric);
        assertSaid(demo, node + " \\| added 1 to the counter of " + pair.charAt(1) + ", which is now \\d+, over " + fabric);
        assertSaid(demo, "(?s)" + node + " \\| lost C\n.*" + node + " \\| greeted by " + pair.charAt(1) + ".*" + node + " \\| stopped\n");
      }
      assertSaid(demo, "done: A and B go on without C\n$");
    }
  }

  @Test
  void theDemoEndsWhenANodeIsKilled() throws Exception {
    // Nodes that serve the page never end.
    try (DemoProcess demo = DemoProcess.start("bus", "--fabric", "nio", "--page")) {
      demo.await(() -> demo.output().contains("A | serves the page of the cluster: http://127.0.0.1:"));
      demo.node("B").destroyForcibly();
      assertEquals(1, demo.waitFor(), demo::output);
      assertSaid(demo, "node A is killed, because node B has failed\n");
      assertSaid(demo, "node B ended with signal 9\n");
      assertSaid(demo, "the demo failed\n$");
    }
  }

  @Test
  @Tag("full")
  void nodesEndWhenTheDemoIsKilled() throws Exception {
    try (DemoProcess demo = DemoProcess.start("bus", "--fabric", "nio", "--page")) {
      demo.await(() -> Main.NODES.stream().allMatch(demo::hasNode));
      demo.await(() -> demo.output().contains("C | is up"));
      List<ProcessHandle> nodes = Main.NODES.stream().map(demo::node).toList();
      try {
        demo.kill();
        demo.await(() -> nodes.stream().allMatch(ChildJvm::hasEnded));
      } finally {
        nodes.forEach(ProcessHandle::destroyForcibly);
      }
    }
  }

  @Test
  void nodeServesItsMetersToPrometheus() throws Exception {
    int port = Main.freePorts(2);
    try (DemoProcess demo = DemoProcess.start("node", "--node", "a", "--fabric", "nio", "--port", Integer.toString(port), "--metrics",
      "127.0.0.1:" + (port + 1))) {
      List<String> names = List.of("vertx_rdma_members", "vertx_rdma_regions_bytes", "vertx_rdma_refused_total",
        "vertx_eventbus_delivered_total");
      // A node's HTTP server for scrapes starts shortly before or after the node.
      demo.await(() -> {
        String text = scrape(port + 1);
        return names.stream().allMatch(name -> text.contains("\n" + name + " ") || text.contains("\n" + name + "{"));
      });
      demo.await(() -> status(port + 1, "/started") == 200 && status(port + 1, "/ready") == 200);
      assertEquals(200, status(port + 1, "/live"));
    }
  }

  private static int status(int port, String path) {
    try {
      return ((HttpURLConnection) URI.create("http://127.0.0.1:" + port + path).toURL().openConnection()).getResponseCode();
    } catch (IOException e) {
      return -1;
    }
  }

  /** Returns the node's meters as Prometheus reads them, or an empty text before it listens. */
  private static String scrape(int port) {
    try {
      HttpURLConnection meters = (HttpURLConnection) URI.create("http://127.0.0.1:" + port + "/metrics").toURL().openConnection();
      try (InputStream text = meters.getInputStream()) {
        assertEquals("text/plain; version=0.0.4; charset=utf-8", meters.getContentType());
        return new String(text.readAllBytes(), StandardCharsets.UTF_8);
      }
    } catch (IOException e) {
      return "";
    }
  }

  @Test
  void tokenOfTheUserIsNotPrinted() throws Exception {
    String token = "a token of the user";
    int port = Main.freePorts(2);
    String page = "127.0.0.1:" + (port + 1);
    try (DemoProcess demo = DemoProcess.start(List.of(), Map.of("VERTX_RDMA_PAGE_TOKEN", token), "node", "--node", "a", "--fabric", "nio",
      "--port", Integer.toString(port), "--page", page)) {
      demo.await(() -> demo.output().contains("a | serves the page of the cluster: " + page + ", with your token"));
      assertTrue(demo.output().lines().noneMatch(line -> line.contains(token) || line.contains("a%20token")), demo::output);
    }
  }

  @Test
  void wrongUseOfBusDemoIsReportedInOneLine() throws Exception {
    String[][] wrong = {{"--fabric"}, {"file"}};
    String[] words = {"Missing required parameter for option '--fabric' (FABRIC)", "'file' is one argument too many"};
    for (int i = 0; i < wrong.length; i++) {
      try (DemoProcess demo = DemoProcess.start(Stream.concat(Stream.of("bus"), Stream.of(wrong[i])).toArray(String[]::new))) {
        assertEquals(2, demo.waitFor());
        assertEquals("rdma demo bus: " + words[i] + "; see ./rdma demo bus --help", demo.output().strip());
      }
    }
  }
}
