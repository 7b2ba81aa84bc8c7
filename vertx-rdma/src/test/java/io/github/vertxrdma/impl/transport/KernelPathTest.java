package io.github.vertxrdma.impl.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.contract.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A client reaches the server that the kernel chooses, in a network with address translation. Needs root, unshare(1), ip(8) and nft(8). */
@Timeout(120)
class KernelPathTest {
  private static final List<String> NETWORK = List.of("unshare", "--net", "sh", "-c");
  private static final String OURS = "from ours over the fabric";
  private static final String OURS_BY_TCP = "from ours over TCP";
  private static final String FOREIGN = ForeignServer.ONE_SHOT + " over TCP";
  private static final String NOT_RECOGNIZED = " has no connection from ";
  private static final String CLOSED = "the peer closed its TCP connection";
  private static final String ADDRESSES = String.join(" && ", "ip link set lo up", "ip addr add " + PathProcess.SPECIFIC + "/32 dev lo",
    "ip link add down0 type veth peer name down1", "ip addr add 10.96.0.50/32 dev down0", "ip link add up0 type veth peer name up1",
    "ip addr add 10.0.0.9/24 dev up0", "ip addr add 10.0.0.11/24 dev up0", "ip addr add 10.0.0.12/24 dev up0",
    "ip addr add 10.96.0.51/32 dev up0", "ip link set up1 up", "ip link set up0 up");
  private static final String RULES = """
    nft -f - <<'END'
    table ip n {
      chain out {
        type nat hook output priority -100;
        ip daddr 10.96.0.50 tcp dport 8080 dnat to 10.0.0.9:9090
        ip daddr 10.96.0.51 tcp dport 8080 dnat to 10.0.0.9:9090
        ip daddr 10.0.0.11 tcp dport 8080 redirect to :9090
      }
      chain post {
        type nat hook postrouting priority 100;
        ip daddr 10.0.0.12 tcp dport 8080 snat to 10.0.0.9:40000-40100
      }
    }
    END
    """;

  private Path folder;
  private ChildJvm child;
  private String names;

  private void start(String fabric) throws Exception {
    assumeTrue(isAllowed(), "it takes root, unshare(1), ip(8) with veth, and nft(8) with NAT");
    folder = Files.createTempDirectory("vr");
    List<String> program = new ArrayList<>(NETWORK);
    program.add(ADDRESSES + " && " + RULES + "exec \"$0\" \"$@\"");
    child = ChildJvm.startBy(program, PathProcess.class, folder.toString(), fabric, "127.0.0.1", "10.0.0.12", "10.96.0.51");
    names = child.await("names ");
  }

  private static boolean isAllowed() throws InterruptedException {
    List<String> command = new ArrayList<>(NETWORK);
    command.add(ADDRESSES + " && " + RULES);
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
      return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  @AfterEach
  void stop() throws Exception {
    if (child != null) {
      child.close();
      new ProcessBuilder("rm", "-rf", folder.toString()).inheritIO().start().waitFor();
    }
  }

  private String get(String address) throws Exception {
    child.send("get " + address);
    return child.await("got ");
  }

  /**
   * Asserts that the server of the fabric answers, over the fabric once its node has confirmed the path. If the fabric is forced, a
   * connection fails until then.
   */
  private void assertOurs(String address) throws Exception {
    String got = get(address);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while ((got.equals(OURS_BY_TCP) || got.contains(NOT_RECOGNIZED)) && System.nanoTime() < end) {
      got = get(address);
    }
    assertEquals(OURS, got);
  }

  @Test
  void clientReachesTheServerThatTheKernelChooses() throws Exception {
    start("-");
    assertFalse(names.contains("10.96.0.50"), "of an interface that is down: " + names);
    assertTrue(names.contains("10.96.0.51"), names);
    assertOurs("127.0.0.1");
    assertOurs("10.0.0.9");
    assertEquals(FOREIGN, get("10.96.0.50"), "DNAT, on an interface that is down");
    assertEquals(FOREIGN, get("10.96.0.51"), "DNAT");
    assertEquals(FOREIGN, get("10.0.0.11"), "REDIRECT");
    assertEquals(FOREIGN, get(PathProcess.SPECIFIC), "a listener of that address alone");
    assertEquals(OURS_BY_TCP, get("10.0.0.12"), "NAT that changes ports");
    assertOurs("10.0.0.9");
  }

  @ParameterizedTest
  @CsvSource({"10.96.0.51, " + CLOSED, "10.0.0.12, " + NOT_RECOGNIZED})
  void connectionFailsWithTheReasonWhenTheFabricIsForcedAndThePathIsNotProven(String address, String reason) throws Exception {
    start("shm");
    assertOurs("127.0.0.1");
    String failure = get(address);
    assertTrue(failure.startsWith("failed: ") && failure.contains(reason), failure);
  }

  @Test
  @Tag("full")
  void clientFollowsAChangedPath() throws Exception {
    start("-");
    assertOurs("127.0.0.1");
    child.send("run nft add rule ip n out ip daddr 127.0.0.1 tcp dport 8080 redirect to :9090");
    assertEquals("0", child.await("ran "));
    assertEquals(FOREIGN, get("127.0.0.1"));
  }
}
