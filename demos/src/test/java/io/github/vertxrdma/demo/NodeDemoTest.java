package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.commands.Demo;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a node that fails. */
@Timeout(120)
class NodeDemoTest {

  @Test
  void anErrorEndsANodeThoughThreadsOfItsLibrariesAreLeft() throws Exception {
    Process node = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC", "-cp",
      System.getProperty("java.class.path"), NodeDemoTest.class.getName()).redirectErrorStream(true).start();
    try {
      assertTrue(node.waitFor(60, TimeUnit.SECONDS), "it lives on");
      assertEquals("A | failed: java.lang.OutOfMemoryError: Java heap space\n",
        new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
      assertEquals(1, node.exitValue());
    } finally {
      node.destroyForcibly();
    }
  }

  /** A node with a thread that nobody ends. */
  public static void main(String[] line) throws Exception {
    Demo.Node node = new Demo.Node();
    node.name = "A";
    CountDownLatch never = new CountDownLatch(1);
    Thread.ofPlatform().start(() -> {
      try {
        never.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    });
    Main.nodes(node, line, "", "", () -> {
      throw new OutOfMemoryError("Java heap space");
    });
  }
}
