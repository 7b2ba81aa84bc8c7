package io.github.vertxrdma.process;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.attack.Attacker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A peer that knows the secret attacks two nodes that share memory with it: {@link Attacker} makes random moves by a seed. The nodes
 * exchange messages and granted memory meanwhile, which must neither change nor stop.
 */
@Timeout(14_400)
@Tag("full")
class MemberAttackTest {
  private static final int CONNECT_EVERY = 10;

  private Attacker attacker;
  private ChildJvm nodes;
  private int games;
  private int greeted;

  @BeforeEach
  void build() throws Exception {
    attacker = Attacker.build();
  }

  @AfterEach
  void remove() throws Exception {
    if (nodes != null) {
      nodes.close();
    }
    if (attacker != null) {
      attacker.close();
    }
  }

  @Test
  void peerOfSameUserHarmsNoOtherConnection() throws Exception {
    play(attacker.folder().resolve("run/shm"));
  }

  @Test
  void peerOfAnotherUserHarmsNoOtherConnection() throws Exception {
    attacker = attacker.otherUser();
    Path meeting = attacker.folder().resolve("meeting");
    play(meeting, "vertx.rdma.shm.group", Attacker.GROUP, "vertx.rdma.shm.folder", meeting.toString());
  }

  private void play(Path meeting, String... properties) throws Exception {
    Path folder = attacker.folder();
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
    Attacker.playAll(game -> {
      greeted += Attacker.awaitEnd(attacker.play(game, key, region, sockets));
      games++;
      ask("check");
      if (game % CONNECT_EVERY == 0) {
        ask("connect");
      }
    });
    assertTrue(greeted > games, "a peer that the nodes greet makes moves in each game: " + greeted + " in all");
    ask("rest");
  }

  private void ask(String command) throws IOException, InterruptedException {
    nodes.tell(command);
    nodes.await("done ");
  }
}
