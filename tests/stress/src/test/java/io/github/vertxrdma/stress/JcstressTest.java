package io.github.vertxrdma.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the jcstress tests of this module in processes of their own. */
@Tag("long")
class JcstressTest {
  private static final int MINUTES = 20;

  @TempDir
  Path folder;

  @Test
  void nothingIsSeenThatMustNotBe() throws Exception {
    assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "one processor shows nothing of memory order; two are needed");
    List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"), "-Xmx256m", "-cp",
      classPath(), "org.openjdk.jcstress.Main", "-m", "quick", "-r", folder.toString(), "-v"));
    // States are 20 KiB each.
    command.addAll(List.of("-strideSize", "16", "-strideCount", "8", "-c", "2", "-hs", "256"));
    Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true)
      .redirectOutput(folder.resolve("log").toFile()).start();
    try {
      assertTrue(process.waitFor(MINUTES, TimeUnit.MINUTES), () -> "jcstress did not end within " + MINUTES + " minutes");
      String log = Files.readString(folder.resolve("log"));
      assertEquals(0, process.exitValue(), log);
      for (String of : List.of("WakeUpStress", "RoomStress", "LentMemoryStress", "ClosedPoolStress")) {
        assertTrue(log.contains(of), log);
      }
    } finally {
      process.destroyForcibly();
    }
  }

  private static String classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
      .map(entry -> Path.of(entry).toAbsolutePath().toString())
      .collect(Collectors.joining(File.pathSeparator));
  }
}
