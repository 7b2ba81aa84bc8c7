package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The job board as a person sees it: three processes, one of them killed. */
@Timeout(480)
class BusDemoTest {

  private static void assertSaid(DemoProcess demo, String pattern) {
    assertTrue(Pattern.compile(pattern).matcher(demo.output()).find(), () -> "'" + pattern + "' is not in\n" + demo.output());
  }

  @Test
  void everyJobIsDoneThoughANodeIsKilled() throws Exception {
    everyJobIsDone("nio");
  }

  @ParameterizedTest
  @Tag("long")
  @ValueSource(strings = {"shm", "tcp", "rxm"})
  void everyJobIsDoneOverEachFabric(String fabric) throws Exception {
    everyJobIsDone(fabric);
  }

  private static void everyJobIsDone(String fabric) throws Exception {
    try (DemoProcess demo = DemoProcess.start("bus", "--fabric", fabric, "--jobs", "1000")) {
      int status = demo.waitFor();
      Assumptions.assumeFalse(demo.output().contains("there is no fabric"), () -> demo.line("there is no fabric"));
      assertEquals(0, status, demo::output);
      assertSaid(demo, "B \\| Connections to \\S+ of node \\S+ \\(\\S+\\) go over " + fabric);
      assertSaid(demo, "(?s)A \\| half of the jobs are done\\nkill -9 node C\\n");
      assertSaid(demo, "A \\| 1000 jobs done over fabric: \\{B=\\d+, C=\\d+}");
      assertSaid(demo, "A \\| 1000 jobs done over TCP: \\{B=\\d+, C=\\d+}");
      assertSaid(demo, "B \\| over fabric a request takes +[\\d.]+ µs \\(p50\\), +[\\d.]+ µs \\(p99\\)");
      assertSaid(demo, "B \\| over TCP    a request takes");
      assertSaid(demo, "B \\| half of the requests are answered [\\d.]+ times (faster|slower) over the fabric than over TCP");
      assertSaid(demo, "done: every job is, though a node was killed\\n$");
    }
  }

  @Test
  void theDemoEndsWhenAWorkerDies() throws Exception {
    theDemoEndsWithout("B");
  }

  @Test
  @Tag("full")
  void theDemoEndsWhenTheLastWorkerDies() throws Exception {
    theDemoEndsWithout("C");
  }

  /** The board would wait for the worker without end. */
  private static void theDemoEndsWithout(String worker) throws Exception {
    try (DemoProcess demo = DemoProcess.start("bus", "--fabric", "nio", "--jobs", "1000000")) {
      demo.await(() -> demo.hasNode(worker));
      demo.node(worker).destroyForcibly();
      assertEquals(1, demo.waitFor(), demo::output);
      assertSaid(demo, "node A is ended, as node " + worker + " has failed\n");
      assertSaid(demo, "node " + worker + " ended with signal 9\n");
      assertSaid(demo, "the demo failed\n$");
    }
  }

  /** With the page the jobs have no end. */
  @Test
  void noNodeOutlivesTheDemoThatIsKilled() throws Exception {
    try (DemoProcess demo = DemoProcess.start("bus", "--fabric", "nio", "--page")) {
      demo.await(() -> NodeDemo.NODES.stream().allMatch(demo::hasNode));
      List<ProcessHandle> nodes = NodeDemo.NODES.stream().map(demo::node).toList();
      try {
        demo.kill();
        for (ProcessHandle node : nodes) {
          node.onExit().get(60, TimeUnit.SECONDS);
        }
      } finally {
        nodes.forEach(ProcessHandle::destroyForcibly);
      }
    }
  }

  @Test
  void mistakesAreOneClearLine() throws Exception {
    String[][] wrong = {{"--jobs", "many"}, {"--fabric"}, {"file"}};
    String[] words = {"--jobs many: no whole number", "Missing required parameter for option '--fabric' (FABRIC)",
      "'file' is one argument too many"};
    for (int i = 0; i < wrong.length; i++) {
      try (DemoProcess demo = DemoProcess.start(Stream.concat(Stream.of("bus"), Stream.of(wrong[i])).toArray(String[]::new))) {
        assertEquals(2, demo.waitFor());
        assertEquals("rdma demo bus: " + words[i] + "; see ./rdma demo bus --help", demo.output().strip());
      }
    }
  }
}
