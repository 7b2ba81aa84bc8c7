package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.contract.OverFabrics;
import io.github.vertxrdma.referee.Plant;
import io.github.vertxrdma.referee.Use;
import io.github.vertxrdma.referee.WordRound;
import io.github.vertxrdma.simulator.referee.WordCall;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@OverFabrics({"memory", "nio", "shm", "verbs:nic"})
@Timeout(120)
class WordTest extends FabricPair {
  private static final int ROUNDS = 6;
  private static final int MANY_ROUNDS = 300;
  private static final int FEWEST_CALLS = 200;

  /** Histories of atomic operations are linearizable, and histories of plain reads and writes are regular. */
  @ParameterizedTest
  @EnumSource(Use.class)
  void everyHistoryIsRight(Use use) throws Exception {
    play(use, ROUNDS);
  }

  @ParameterizedTest
  @EnumSource(Use.class)
  @Tag("long")
  @Timeout(900)
  void soAreManyMore(Use use) throws Exception {
    play(use, MANY_ROUNDS);
  }

  private void play(Use use, int rounds) throws Exception {
    long first = Long.getLong("seed", System.nanoTime());
    long calls = 0;
    long unknown = 0;
    for (long seed = first; seed < first + rounds; seed++) {
      WordRound round = new WordRound(serverVertx, server, use, seed);
      String error = round.play(clientVertx, () -> Rdma.create(clientVertx, options()), Plant.NOTHING);
      List<WordCall> history = round.calls();
      assertNull(error, "seed " + seed);
      assertTrue(history.size() > FEWEST_CALLS, () -> "there were only " + history.size() + " calls");
      calls += history.size();
      unknown += history.stream().filter(call -> !call.isKnown()).count();
    }
    System.out.println(fabric() + ", " + use + ": " + rounds + " words, " + calls + " calls, of which " + unknown + " had no answer");
  }
}
