package io.github.vertxrdma.suites;

import io.github.vertxrdma.provider.contract.Devices;
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
    try (Games games = Games.with(new Games.HonestPair(AttackedNodes.class, arguments(attacker, "shm", meeting, properties)),
      List.of(Games.overSharedMemory(attacker), Games.withoutSecret(attacker)))) {
      games.playAll();
      games.assertServed(attacker);
    }
  }

  static List<String> arguments(Attacker attacker, String fabric, Path meeting, String... properties) {
    Path folder = attacker.folder();
    List<String> arguments = new ArrayList<>(List.of(fabric, folder.resolve("directory").toString(), meeting.toString(),
      "vertx.rdma.runtime", folder.resolve("run").toString()));
    arguments.addAll(List.of(properties));
    return arguments;
  }

  private static List<String> arguments(Attacker attacker, String fabric) {
    return arguments(attacker, fabric, attacker.folder().resolve("run/shm"));
  }

  static Games.HonestPair pair(Attacker attacker, String fabric) {
    return new Games.HonestPair(AttackedNodes.class, arguments(attacker, fabric));
  }

  /** Returns the arguments of an attacking node of the same user. */
  static String[] own(Attacker attacker, String fabric, String... properties) {
    List<String> own = new ArrayList<>(arguments(attacker, fabric, attacker.folder(), properties));
    own.remove(2);
    return own.toArray(String[]::new);
  }

  @ParameterizedTest
  @ValueSource(strings = {"shm", "nio", "tcp"})
  void memberThatSendsAnythingHarmsNoOther(String fabric, @TempDir Path classes) throws Exception {
    Devices.require(fabric);
    play(fabric, List.of(HostileMember.start(classes, own(attacker, fabric)), HostileMember.start(classes, own(attacker, fabric))));
  }

  @Test
  void memberOfAnotherHostTakesNoConnectionAtLoopback() throws Exception {
    try (FarGames far = new FarGames(attacker); Games games = Games.with(far.pair(), List.of(far.member()))) {
      games.playAll();
    }
  }

  @Test
  void silentConnectsOfManySourcesKeepNoPeerOut() throws Exception {
    play("nio", List.of(new SilentConnects()));
  }

  private void play(String fabric, List<Games.Attack> attacks) throws Exception {
    try (Games games = Games.with(pair(attacker, fabric), attacks)) {
      // Games over tcp take twice as long.
      games.playPart(fabric.equals("tcp") ? 3 : 1);
    }
  }
}
