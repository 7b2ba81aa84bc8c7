package io.github.vertxrdma.impl.transport;

import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.vertxrdma.provider.contract.plants.Plant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class ProvenPathsTest {
  private static final String PATHS = "impl.transport.ProvenPaths.";

  static List<Plant> plants() {
    return List.of(
      new Plant("a confirmation is kept for ever", PATHS + "isConfirmed", "getAsLong", (code, call) -> code.pop().lconst_0()),
      new Plant("entries that the directory does not have are kept", PATHS + "note", "removeIf", (code, call) -> code.pop2().iconst_0()));
  }

  @Test
  void resultOfAProofHoldsForItsTime() {
    for (long seed = 0; seed < PathConversation.count(); seed++) {
      assertNull(PathConversation.found(seed));
    }
  }

  @ParameterizedTest
  @MethodSource("plants")
  void plantedBugIsFound(Plant plant) throws Exception {
    plant.isFoundBy(PathConversation.class, PathConversation.count());
  }
}
