package io.github.vertxrdma.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.attack.Attacker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A process without the secret takes over the names of a node's sockets in the folder of a group, which the folder's owner can do, and
 * relays what another node exchanges with it.
 */
@Timeout(180)
class RelayTest {
  private static final String PAID = "PAY 0100 TO ALICE";
  private static final String FORGED = "PAY 9999 TO MALLO";

  private final Queue<String> relayed = new ConcurrentLinkedQueue<>();
  private Path meeting;
  private Attacker attacker;
  private Attacker other;
  private ChildJvm server;
  private Process relay;

  @BeforeEach
  void serve() throws Exception {
    attacker = Attacker.build();
    other = attacker.otherUser();
    meeting = Files.createDirectory(attacker.folder().resolve("meeting"));
    Files.setAttribute(meeting, "unix:gid", Integer.parseInt(Attacker.GROUP));
    Files.setAttribute(meeting, "unix:uid", Attacker.USER);
    Files.setAttribute(meeting, "unix:mode", 03770);
    server = node("serve", "any");
    server.await("serves");
  }

  @AfterEach
  void remove() throws Exception {
    if (server != null) {
      server.close();
    }
    if (relay != null) {
      relay.destroyForcibly().waitFor();
    }
    if (attacker != null) {
      attacker.close();
    }
  }

  private ChildJvm node(String task, String fabric) throws IOException {
    Path folder = attacker.folder();
    return ChildJvm.start(RelayedNode.class, task, fabric, folder.resolve("directory").toString(), "vertx.rdma.runtime",
      folder.resolve("run").toString(), "vertx.rdma.shm.group", Attacker.GROUP, "vertx.rdma.shm.folder", meeting.toString());
  }

  private void relay(Attacker by) throws Exception {
    relay = by.relay(meeting, PAID, FORGED);
    BufferedReader output = new BufferedReader(new InputStreamReader(relay.getInputStream()));
    assertTrue(Integer.parseInt(output.readLine().substring("took over ".length())) > 0);
    Thread.ofVirtual().start(() -> output.lines().forEach(relayed::add));
  }

  private boolean hasRelayed(String start) {
    return relayed.stream().anyMatch(line -> line.startsWith(start));
  }

  /** The proofs cover the users that the kernel reports, which differ at both ends. */
  @Test
  void connectFailsBehindRelayOfAnotherUser() throws Exception {
    relay(other);
    for (String fabric : List.of("shm", "any")) {
      try (ChildJvm client = node(PAID, fabric)) {
        String reason = client.await("refused ");
        assertTrue(reason.startsWith("NOT_AUTHENTIC"), reason);
      }
    }
    assertTrue(hasRelayed("relays accept"), relayed.toString());
    assertFalse(hasRelayed("changed"), relayed.toString());
    assertEquals(List.of(), server.printed("got "));
  }

  /** The limit of the proofs: a process of the nodes' own user is trusted with everything. */
  @Test
  void nodesDoNotNoticeRelayOfTheirOwnUser() throws Exception {
    relay(attacker);
    try (ChildJvm client = node(PAID, "shm")) {
      assertEquals("shm", client.await("fabric "));
      assertEquals("done: " + PAID, client.await("got "));
      assertEquals(FORGED, server.await("got "));
    }
  }
}
