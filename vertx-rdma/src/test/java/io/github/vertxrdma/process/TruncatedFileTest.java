package io.github.vertxrdma.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(180)
class TruncatedFileTest {
  @TempDir
  Path folder;

  @ParameterizedTest
  @CsvSource({"nio,-XX:+TieredCompilation,800", "shm,-XX:+TieredCompilation,800"})
  void linksThatTouchATruncatedFileEndAndNoOthers(String fabric, String compiler, String operations) throws Exception {
    Process process = new ProcessBuilder(ProcessHandle.current().info().command().orElse("java"), "-XX:+UseSerialGC", "-Xmx256m",
      "-XX:-CreateCoredumpOnCrash", compiler, "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
      TruncatedFileProcess.class.getName(), folder.toString(), fabric, operations).redirectError(ProcessBuilder.Redirect.DISCARD)
      .directory(folder.toFile()).start();
    try {
      List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      assumeFalse(lines.contains("skipped"), () -> fabric + " is not here");
      assertEquals(List.of("own accesses that failed: " + TruncatedFileProcess.OWN_ACCESSES, "own addition: failed",
        "own exchange: failed", "read: failed", "long read: failed",
        "write: failed", "long write: failed", "word: failed", "notified write: failed", "plain 64", "went on"), lines);
      assertEquals(0, process.waitFor());
    } finally {
      process.destroyForcibly();
    }
  }

  @ParameterizedTest
  @Tag("full")
  @CsvSource({"nio,-Xint,5", "nio,-XX:TieredStopAtLevel=1,300", "shm,-Xint,5", "shm,-XX:TieredStopAtLevel=1,300"})
  void interpretedAndQuicklyCompiledCodeDoesTheSame(String fabric, String compiler, String operations) throws Exception {
    linksThatTouchATruncatedFileEndAndNoOthers(fabric, compiler, operations);
  }
}
