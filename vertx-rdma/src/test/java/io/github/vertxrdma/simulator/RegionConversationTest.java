package io.github.vertxrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.contract.plants.PlantLoader;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Conversations of nodes that share regions, each out of a seed; {@code -Dsimulator.seed=} and {@code -Dsimulator.count=} choose others. */
class RegionConversationTest {
  private static final long FIRST = Long.getLong("simulator.seed", 1);
  private static final long COUNT = Long.getLong("simulator.count", System.getProperty("simulator.seed") == null ? 500 : 1);

  private static RegionConversation run(long seed) {
    return Simulation.run(seed, RegionConversation::new);
  }

  private static void runAll(long first, long count) {
    LongAdder events = new LongAdder();
    LongAdder calls = new LongAdder();
    LongAdder succeeded = new LongAdder();
    LongStream.range(first, first + count).parallel().mapToObj(RegionConversationTest::run).forEach(conversation -> {
      events.add(conversation.trace.events());
      calls.add(conversation.calls);
      succeeded.add(conversation.succeeded);
    });
    System.out.println(count + " conversations about regions, " + events + " events, " + calls + " calls, " + succeeded + " of them successful");
  }

  /** Runs them with the product's tables watched, so that the cells that they reach are counted. */
  @Test
  @Timeout(900)
  void whatMustHoldHolds() throws ReflectiveOperationException {
    PlantLoader loader = new PlantLoader(RegionCells.watched());
    Method found = loader.loadClass(RegionConversation.class.getName()).getDeclaredMethod("found", long.class);
    found.setAccessible(true);
    LongStream.range(FIRST, FIRST + COUNT).parallel().forEach(seed -> {
      if (found(found, seed) != null) {
        run(seed);
      }
    });
    loader.checkUsed();
    Map<?, ?> cells = (Map<?, ?>) loader.loadClass(RegionCells.class.getName()).getMethod("counts").invoke(null);
    System.out.println(COUNT + " conversations about regions " + cells);
    if (COUNT >= 500) {
      assertEquals(List.of(), cells.entrySet().stream().filter(cell -> cell.getValue().equals(0L) && !RegionCells.isRare((String) cell.getKey()))
        .toList(), "cells of the tables of regions that no conversation reached");
    }
  }

  private static Object found(Method found, long seed) {
    try {
      return found.invoke(null, seed);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A link that ends while an operation which waits is given up. */
  @ParameterizedTest
  @ValueSource(longs = 3041)
  void hasFailedBefore(long seed) {
    run(seed);
  }

  @Test
  @Timeout(900)
  void aSeedIsOneConversation() {
    for (long seed = FIRST; seed < FIRST + Math.min(COUNT, 40); seed++) {
      assertEquals(run(seed).trace.hash(), run(seed).trace.hash(), "the trace of conversation " + seed);
    }
  }

  @Test
  @Tag("long")
  @Timeout(14_400)
  void whatMustHoldHoldsForLong() {
    runAll(1_000_000, 20_000);
  }
}
