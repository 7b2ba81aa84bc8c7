package io.github.vertxrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.contract.plants.PlantLoader;
import io.github.vertxrdma.simulator.world.SeededTest;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RegionConversationTest extends SeededTest<RegionConversation> {
  private static final int MANY = FULL ? 500 : 250;

  RegionConversationTest() {
    super(RegionConversation::new, MANY, FULL ? 40 : 10);
  }

  /** Runs the conversations with watched tables, so that the cells that they reach are counted. */
  @Override
  @Test
  @Timeout(900)
  protected void invariantsHoldInRandomConversations() throws ReflectiveOperationException {
    PlantLoader loader = new PlantLoader(RegionCells.watched());
    Method found = loader.loadClass(RegionConversation.class.getName()).getDeclaredMethod("found", long.class);
    found.setAccessible(true);
    LongStream.range(first, first + count).parallel().forEach(seed -> {
      Object failure = found(found, seed);
      if (failure != null) {
        run(seed);
        throw new AssertionError("conversation " + seed + " does not fail again without the watched tables: " + failure);
      }
    });
    loader.checkUsed();
    Map<?, ?> cells = (Map<?, ?>) loader.loadClass(RegionCells.class.getName()).getMethod("counts").invoke(null);
    System.out.println(count + " conversations about regions " + cells);
    if (count >= MANY) {
      assertEquals(List.of(),
        cells.entrySet().stream().filter(cell -> cell.getValue().equals(0L) && !RegionCells.isRare((String) cell.getKey()))
          .toList(),
        "cells of the tables of regions that no conversation reached");
    }
  }

  private static Object found(Method found, long seed) {
    try {
      return found.invoke(null, seed);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * A link that ends while a waiting operation is cancelled. A region that its owner revokes while reads of it wait for slots that reads of
   * a silent peer have taken.
   */
  @ParameterizedTest
  @ValueSource(longs = {3041, 20_261_200_092L})
  void hasFailedBefore(long seed) {
    run(seed);
  }
}
