package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ScreenTest {
  private static final String WORDS = "not loaded, and the kernel's modules are not to be seen here, so the host has to — fix: modprobe x";

  @Test
  void aLineGoesOnBelowItsLastColumn() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = FoldedOutput.of(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    out.printf("%-8s %-22s %s%n", "warning", "ib_core", WORDS);
    out.println("  not available: " + WORDS);
    out.println("chosen: " + WORDS);
    out.println("short");
    assertEquals("""
      warning  ib_core                not loaded, and the kernel's modules are not to
                                      be seen here, so the host has to — fix: modprobe
                                      x
        not available: not loaded, and the kernel's modules are not to be seen here,
          so the host has to — fix: modprobe x
      chosen: not loaded, and the kernel's modules are not to be seen here, so the
        host has to — fix: modprobe x
      short
      """, bytes.toString(StandardCharsets.UTF_8));
  }

  @Test
  void wordLongerThanALineIsNotSplit() {
    String path = "/" + "a".repeat(100);
    assertEquals("names\n  " + path + "\n  which", FoldedOutput.folded("names " + path + " which"));
    assertEquals(path, FoldedOutput.folded(path));
  }

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
