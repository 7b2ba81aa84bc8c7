package io.github.vertxrdma.process;

import io.github.vertxrdma.provider.contract.attack.Attacker;
import io.github.vertxrdma.provider.contract.attack.Games;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members that know the secret, and processes that do not, attack {@link AttackedNodes}. */
@Timeout(14_400)
@Tag("full")
class MemberAttackTest {
  private Attacker attacker;

  @BeforeEach
  void build() throws Exception {
    attacker = Attacker.build();
  }

  @AfterEach
  void remove() throws Exception {
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
    try (Games games = Games.with(AttackedNodes.class, arguments(attacker, "shm", meeting, properties),
      List.of(Games.overSharedMemory(attacker), Games.withoutSecret(attacker)))) {
      games.playAll();
      games.assertServed(attacker);
    }
  }

  private static List<String> arguments(Attacker attacker, String fabric, Path meeting, String... properties) {
    Path folder = attacker.folder();
    List<String> arguments = new ArrayList<>(List.of(fabric, folder.resolve("directory").toString(), meeting.toString(),
      "vertx.rdma.runtime", folder.resolve("run").toString()));
    arguments.addAll(List.of(properties));
    return arguments;
  }

  static List<String> arguments(Attacker attacker, String fabric) {
    return arguments(attacker, fabric, attacker.folder().resolve("run/shm"));
  }

  /** Returns the arguments of an attacking node of the same user. */
  static String[] own(Attacker attacker, String fabric) {
    List<String> own = new ArrayList<>(arguments(attacker, fabric));
    own.remove(2);
    return own.toArray(String[]::new);
  }

  @ParameterizedTest
  @ValueSource(strings = {"shm", "nio"})
  void memberThatSendsAnythingHarmsNoOther(String fabric, @TempDir Path classes) throws Exception {
    try (HostileMember one = HostileMember.start(classes, own(attacker, fabric));
      HostileMember two = HostileMember.start(classes, own(attacker, fabric));
      Games games = Games.with(AttackedNodes.class, arguments(attacker, fabric), List.of(one, two))) {
      games.playAll();
    }
  }
}
