package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.hazelcast.config.NetworkConfig;
import io.github.vertxrdma.commands.Demo;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a failing node of a demo, and its place in the cluster. */
@Timeout(120)
class NodeDemoTest {

  @Test
  void errorEndsNodeDespiteRunningLibraryThreads() throws Exception {
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

  @Test
  void nodesOfOneHostUseDifferentPorts() {
    Demo.Node node = new Demo.Node();
    node.host = "10.9.2.2";
    node.members = List.of("10.9.2.1", "fd00::2");
    node.port = 6000;
    NetworkConfig network = Main.cluster(node).getNetworkConfig();
    assertEquals(3, network.getPortCount());
    assertEquals(List.of("10.9.2.1:6000", "10.9.2.1:6001", "10.9.2.1:6002", "[fd00::2]:6000", "[fd00::2]:6001", "[fd00::2]:6002"),
      network.getJoin().getTcpIpConfig().getMembers());
  }

  /** Runs a node with a thread that does not end. */
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
