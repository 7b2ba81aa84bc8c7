package io.github.vertxrdma.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.attack.Attacker;
import io.github.vertxrdma.provider.contract.plants.Plant;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
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
  private static final String SERVER = "server";

  private final Queue<String> relayed = new ConcurrentLinkedQueue<>();
  private Path meeting;
  private Attacker attacker;
  private Attacker other;
  private ChildJvm server;
  private Process relay;
  private ChildJvm member;
  private String epoch;

  @BeforeEach
  void serve() throws Exception {
    attacker = Attacker.build();
    other = attacker.otherUser();
    meeting = Files.createDirectory(attacker.folder().resolve("meeting"));
    Files.setAttribute(meeting, "unix:gid", Integer.parseInt(Attacker.GROUP));
    Files.setAttribute(meeting, "unix:uid", Attacker.USER);
    Files.setAttribute(meeting, "unix:mode", 03770);
    server = node("serve", "any", RelayedNode.ID, SERVER);
    epoch = server.await("epoch ");
    server.await("serves");
  }

  @AfterEach
  void remove() throws Exception {
    if (server != null) {
      server.close();
    }
    if (member != null) {
      member.close();
    }
    if (relay != null) {
      relay.destroyForcibly().waitFor();
    }
    if (attacker != null) {
      attacker.close();
    }
  }

  private ChildJvm node(String task, String fabric, String... properties) throws IOException {
    return node(List.of(), System.getProperty("java.class.path"), attacker.folder(), task, fabric, properties);
  }

  /** Starts a node with the secret, whose own files are in a folder. */
  private ChildJvm node(List<String> by, String classPath, Path folder, String task, String fabric, String... properties)
    throws IOException {
    Path secret = folder.resolve("secret");
    if (!Files.exists(secret)) {
      Files.writeString(secret, "the secret of all nodes of this test");
      Files.setAttribute(secret, "unix:mode", 0600);
      Files.setAttribute(secret, "unix:uid", Files.getAttribute(folder, "unix:uid"));
    }
    List<String> arguments = new ArrayList<>(List.of(task, fabric, folder.resolve("directory").toString(), "vertx.rdma.runtime",
      folder.resolve("run").toString(), "vertx.rdma.shm.group", Attacker.GROUP, "vertx.rdma.shm.folder", meeting.toString(),
      "vertx.rdma.secret.file", secret.toString()));
    arguments.addAll(List.of(properties));
    return ChildJvm.startBy(by, classPath, RelayedNode.class, arguments.toArray(String[]::new));
  }

  private List<Path> sockets() throws IOException {
    try (Stream<Path> found = Files.list(meeting)) {
      return found.filter(each -> !each.getFileName().toString().startsWith(".")).toList();
    }
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

  /** The limit of the proofs: all that they cover is known to each node of the cluster. The member's library is changed. */
  @Test
  void memberWithTheSecretAnswersForOthersInItsFolder() throws Exception {
    List<Path> ofServer = sockets();
    Path own = Files.createDirectory(attacker.folder().resolve("member"));
    Files.setAttribute(own, "unix:uid", Attacker.USER);
    Path classes = Files.createDirectory(own.resolve("classes"));
    new Plant("it accepts requests to others", "provider.shm.ShmRequest.proves", "isProvenBy", Plant.answer(true)).write(classes);
    ClassDesc changed = ClassDesc.of(RelayedNode.class.getName());
    new Plant("it has the other's epoch", "impl.peers.SecretHandshake.acceptOf", "epoch",
      (code, call) -> code.invokestatic(changed, "epoch",
        MethodTypeDesc.of(ConstantDescs.CD_long, ClassDesc.of(NodeEntry.class.getName()))))
      .write(classes);
    new Plant("it has the other's address", "impl.peers.SecretHandshake.at", "binding",
      (code, call) -> code.invokestatic(changed, "binding", call.typeSymbol())).write(classes);
    member = node(List.of("setpriv", "--reuid=" + Attacker.USER, "--regid=" + Attacker.USER, "--groups=" + Attacker.GROUP,
      "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"),
      classes + File.pathSeparator
        + System.getProperty("java.class.path"),
      own, "serve", "shm", RelayedNode.ID, SERVER,
      RelayedNode.EPOCH, epoch, RelayedNode.ADDRESS, ofServer.getFirst().getFileName().toString());
    member.await("serves");
    List<Path> ofMember = new ArrayList<>(sockets());
    ofMember.removeAll(ofServer);
    assertEquals(1, ofServer.size());
    Files.move(ofMember.getFirst(), ofServer.getFirst(), StandardCopyOption.REPLACE_EXISTING);
    try (ChildJvm client = node(List.of("setpriv", "--groups=" + Attacker.GROUP), System.getProperty("java.class.path"),
      attacker.folder(), PAID, "shm")) {
      assertEquals("shm", client.await("fabric "));
      assertEquals("done: " + PAID, client.await("got "));
      assertEquals(PAID, member.await("got "));
      assertEquals(List.of(), server.printed("got "));
    }
  }
}
