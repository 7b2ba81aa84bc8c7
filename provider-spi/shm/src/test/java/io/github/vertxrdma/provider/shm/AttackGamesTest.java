package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.contract.attack.Attacker;
import io.github.vertxrdma.provider.contract.attack.Games;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes that know the honest pair's queues and connections, but not its keys, attack the listeners of {@link AttackedPair}. */
@Timeout(14_400)
@Tag("full")
class AttackGamesTest {
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
  void processOfSameUserHarmsNoOtherConnection() throws Exception {
    play("runtime", attacker.folder().resolve("run").toString());
  }

  @Test
  void memberOfGroupHarmsNoOtherConnection() throws Exception {
    attacker = attacker.otherUser();
    play(MeetingFolder.GROUP, Attacker.GROUP, MeetingFolder.FOLDER, attacker.folder().resolve("meeting").toString());
  }

  private void play(String... settings) throws Exception {
    Games.Attack attack = Games.overSharedMemory(attacker);
    try (Games games = Games.with(new Games.HonestPair(AttackedPair.class, List.of(settings)), List.of(attack, attack))) {
      games.playAll();
      games.assertServed(attacker);
    }
  }
}
