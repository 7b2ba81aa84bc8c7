package io.github.vertxrdma.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The soak as a user runs it: nothing is wrong, and nothing is left. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "what a process has of the system is counted in /proc")
class SoakTest {
  private static final int SECONDS = 20;
  private static final int MANY_SECONDS = 600;

  @ParameterizedTest
  @ValueSource(strings = {"nio", "shm"})
  @Tag("long")
  @Timeout(400)
  void aShortOne(String fabric) {
    soak(fabric, SECONDS, 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "shm", "tcp"})
  @Tag("long")
  @Timeout(2400)
  void aLongOne(String fabric) {
    soak(fabric, MANY_SECONDS, System.nanoTime());
  }

  private static void soak(String fabric, int seconds, long seed) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int status = Main.run(List.of("soak", "--seconds", String.valueOf(seconds), "--seed", String.valueOf(seed), "--fabric", fabric),
      new PrintStream(out, true, StandardCharsets.UTF_8));
    String said = out.toString(StandardCharsets.UTF_8);
    System.out.println(said);
    assertEquals(0, status, said);
  }
}
