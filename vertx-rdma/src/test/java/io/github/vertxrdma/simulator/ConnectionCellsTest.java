package io.github.vertxrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.contract.plants.PlantLoader;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(900)
@Tag("full")
class ConnectionCellsTest {
  private static final long CONVERSATIONS = 900;

  @Test
  void eachCellIsReached() throws ReflectiveOperationException {
    PlantLoader loader = new PlantLoader(ConnectionCells.watched());
    var run = loader.loadClass(Conversation.class.getName()).getDeclaredMethod("found", long.class);
    run.setAccessible(true);
    var counts = loader.loadClass(ConnectionCells.class.getName()).getMethod("counts");
    LongStream.rangeClosed(1, CONVERSATIONS).parallel()
      .forEach(number -> assertEquals(null, invoke(run, number * Conversation.CONNECTIONLESS)));
    @SuppressWarnings("unchecked")
    Map<String, Long> cells = (Map<String, Long>) counts.invoke(null);
    System.out.println(cells);
    loader.checkUsed();
    assertEquals(List.of(), cells.entrySet().stream().filter(cell -> cell.getValue() == 0).map(Map.Entry::getKey).toList(),
      "cells that no conversation reached");
  }

  private static Object invoke(java.lang.reflect.Method method, long seed) {
    try {
      return method.invoke(null, seed);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
