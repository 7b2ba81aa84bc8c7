package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.commands.UsageException;
import io.github.vertxrdma.provider.contract.ChildJvm;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ClusterCommandsTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

  private String ping(String name, int port) {
    bytes.reset();
    assertEquals(0, new PingCommand(out).run(Line.ping(name, "--count", "20", "--cluster", "127.0.0.1:" + port, "--cluster-name",
      Member.cluster(port))));
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  @Tag("long")
  void nodesOfAClusterAreFoundAndPinged() throws Exception {
    int port = Member.freePorts();
    try (ChildJvm first = ChildJvm.start(Member.class, Integer.toString(port), "one")) {
      String one = first.await("node ");
      try (ChildJvm second = ChildJvm.start(Member.class, Integer.toString(port), "two")) {
        String two = second.await("node ");
        String byId = ping(one.substring(0, 13), port);
        assertTrue(byId.contains(": node " + one + ", 20 messages of 64 bytes there and back\n"), byId);
        assertTrue(byId.lines().anyMatch(line -> line.matches("nio +20( +[0-9.]+ µs){5}")), byId);
        String byName = ping("two", port);
        assertTrue(byName.contains("two: node " + two + ", 20 messages"), byName);
      }
    }
  }

  @Test
  @Tag("long")
  void silentServerThatIsNoMemberIsReportedInOneLine() throws IOException {
    try (ServerSocket silent = new ServerSocket(0)) {
      String place = "127.0.0.1:" + silent.getLocalPort();
      CommandException none = assertThrows(CommandException.class, () -> new PingCommand(out).run(Line.ping("one", "--cluster", place)));
      assertEquals("the process at " + place + " did not answer as a Hazelcast member within 30 s; correct --cluster", none.getMessage());
    }
  }

  @Test
  void missingClusterIsReportedInOneLine() {
    assertThrows(UsageException.class, () -> new PingCommand(out).run(Line.ping("one", "--cluster", "localhost")));
    assertThrows(UsageException.class, () -> new PingCommand(out).run(Line.ping("one", "--cluster", "127.0.0.1:1", "--host", "here")));
    assertThrows(UsageException.class, () -> new PingCommand(out).run(Line.ping("one", "--cluster", "127.0.0.1:70000")));
    CommandException none = assertThrows(CommandException.class, () -> new PingCommand(out).run(Line.ping("one", "--cluster",
      "nowhere.invalid:1,127.0.0.1:1")));
    assertTrue(none.getMessage().startsWith("this host has no route to member 'nowhere.invalid:1': there is no host of that name; "
      + "this host has no route to member '127.0.0.1:1': ") && none.getMessage().endsWith("; start a member there, or correct --cluster"),
      none.getMessage());
  }
}
