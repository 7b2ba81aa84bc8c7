package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.contract.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nodes greet each other on the event bus, in three processes and in one. */
@Timeout(480)
@Tag("full")
class BusDemoTest {
  @TempDir
  Path folder;

  private static void assertSaid(DemoProcess demo, String pattern) {
    assertTrue(Pattern.compile(pattern).matcher(demo.output()).find(), () -> "'" + pattern + "' is not in\n" + demo.output());
  }

  /** Uses options that differ from the defaults: the event bus and the demo are one node with the same options. */
  @Test
  void nodesContinueWhenOneIsKilled() throws Exception {
    Path options = Files.writeString(folder.resolve("options.json"), "{\"deadTimeout\": 120000}");
    try (DemoProcess demo = DemoProcess.start(List.of(), Map.of("VERTX_RDMA_CONFIG", options.toString()), "bus", "--fabric", "nio")) {
      assertEquals(0, demo.waitFor(), demo::output);
      assertSaid(demo, "C \\| exits without closing\n");
      for (String pair : List.of("AB", "BA")) {
        String node = pair.substring(0, 1);
        assertSaid(demo, node + " \\| greeted by " + pair.charAt(1) + ", over nio");
        assertSaid(demo, node + " \\| added 1 to the counter of " + pair.charAt(1) + ", which is now \\d+, over nio");
        assertSaid(demo, "(?s)" + node + " \\| lost C\n.*" + node + " \\| greeted by " + pair.charAt(1) + ".*" + node + " \\| stopped\n");
      }
      assertSaid(demo, "done: A and B go on without C\n$");
    }
  }

  @Test
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
}
