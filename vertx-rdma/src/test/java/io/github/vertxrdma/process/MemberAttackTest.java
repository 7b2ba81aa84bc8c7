package io.github.vertxrdma.process;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.devices.attack.Attacker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Games of a peer that knows the secret against two nodes that share memory with it: {@link Attacker} plays random moves by a seed.
 * Meanwhile the nodes exchange messages and granted memory over one connection, which must neither change nor stop.
 */
@Timeout(14_400)
class MemberAttackTest {
  private static final int GAMES = Integer.getInteger("shm.attack.games", Boolean.getBoolean("vertx.rdma.test.all") ? 2500
    : Boolean.getBoolean("vertx.rdma.test.full") ? 75 : 15);
  private static final long SEED = Long.getLong("shm.attack.seed", System.nanoTime());
  private static final int MOVES = 600;
  private static final int CONNECT_EVERY = 10;

  private Path folder;
  private Attacker attacker;
  private ChildJvm nodes;

  @BeforeEach
  void build() throws IOException, InterruptedException {
    folder = Files.createTempDirectory("vr");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    try {
      attacker = Attacker.build(folder);
    } catch (IOException e) {
      abort("no C compiler (cc) for the attacker: " + e.getMessage());
    }
  }

  @AfterEach
  void remove() throws IOException, InterruptedException {
    if (nodes != null) {
      nodes.close();
    }
    new ProcessBuilder("rm", "-rf", folder.toString()).inheritIO().start().waitFor();
  }

  @Test
  @Tag("full")
  void peerOfSameUserHarmsNoOtherConnection() throws Exception {
    play(folder.resolve("run/shm"));
  }

  @Test
  @Tag("full")
  void peerOfAnotherUserHarmsNoOtherConnection() throws Exception {
    attacker = attacker.otherUser();
    assumeTrue(attacker != null, "another user's process needs root and setpriv(1)");
    Path meeting = folder.resolve("meeting");
    play(meeting, "vertx.rdma.shm.group", Attacker.GROUP, "vertx.rdma.shm.folder", meeting.toString());
  }

  private void play(Path meeting, String... properties) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(folder.resolve("directory").toString(), "vertx.rdma.runtime",
      folder.resolve("run").toString()));
    arguments.addAll(List.of(properties));
    nodes = ChildJvm.start(AttackedNodes.class, arguments.toArray(String[]::new));
    String key = nodes.await("key ");
    long region = Long.parseLong(nodes.await("region "));
    nodes.await("ready");
    List<String> sockets;
    try (Stream<Path> files = Files.list(meeting)) {
      sockets = files.filter(file -> !Files.isRegularFile(file)).map(Path::toString).sorted().toList();
    }
    int greeted = 0;
    for (int game = 0; game < GAMES; game++) {
      try {
        greeted += play(sockets, key, region, game);
      } catch (AssertionError e) {
        throw new AssertionError("game " + game + " of -Dshm.attack.seed=" + SEED, e);
      }
    }
    assertTrue(greeted > GAMES, "a peer that the nodes greet makes moves in each game: " + greeted + " in all");
    ask("rest");
  }

  /** Plays one game. @return the number of moves after which a connection of the attacker was open */
  private int play(List<String> sockets, String key, long region, int game) throws IOException, InterruptedException {
    Process process = attacker.play(SEED + game * 0x9e3779b97f4a7c15L, MOVES, key, region, sockets);
    String output;
    try {
      output = new String(process.getInputStream().readAllBytes());
      int status = process.waitFor();
      assertTrue(status == 0 || status == Attacker.ALARM, "the attacker's status is " + status);
    } finally {
      process.destroyForcibly();
    }
    assertFalse(output.contains("took over"), "it changed files of others: " + output);
    ask("check");
    if (game % CONNECT_EVERY == 0) {
      ask("connect");
    }
    return output.startsWith("greeted ") ? Integer.parseInt(output.strip().substring("greeted ".length())) : 0;
  }

  private void ask(String command) throws IOException, InterruptedException {
    nodes.tell(command);
    nodes.await("done ");
  }
}
