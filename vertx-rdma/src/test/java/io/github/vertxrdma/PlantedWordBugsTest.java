package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.github.vertxrdma.referee.Plant;
import io.github.vertxrdma.referee.WordRound;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
class PlantedWordBugsTest extends FabricPair {
  private static final int ROUNDS = 6;

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NOTHING")
  void isFound(Plant plant) throws Exception {
    String found = null;
    for (long seed = 1; seed <= ROUNDS && found == null; seed++) {
      found = new WordRound(serverVertx, server, plant.use(), seed).play(clientVertx, () -> Rdma.create(clientVertx, options()), plant);
    }
    assertNotNull(found, plant.name());
  }
}
