package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ScreenTest {
  @Test
  void tooWideTableContinuesBelowWithItsFirstColumn() {
    Table table = new Table("DEVICE", "A".repeat(40), "B".repeat(40), "C");
    table.row("shm", "1", "2", "3");
    assertEquals("DEVICE  " + "A".repeat(40) + "\nshm     1\n\nDEVICE  " + "B".repeat(40) + "  C\nshm     2" + " ".repeat(41) + "3\n",
      table.text(80));
    assertEquals(2, table.toString().lines().count());
    assertTrue(Arrays.stream(table.text(80).split("\n")).allMatch(line -> line.length() <= 80), table.text(80));
  }
}
