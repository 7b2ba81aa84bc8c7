package io.github.vertxrdma.base;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each access fails in its own call, in the interpreter and in code of both compilers. */
class FileMemoryTest {
  @TempDir
  Path folder;

  @ParameterizedTest
  @CsvSource({"-Xint,50", "-XX:TieredStopAtLevel=1,20000", "-XX:+TieredCompilation,40000", "-XX:-TieredCompilation,40000"})
  @Timeout(120)
  void accessOfATruncatedFileFailsInItsCall(String compiler, int warm) throws Exception {
    List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"), "-XX:+UseSerialGC", "-Xmx64m",
      "-XX:-CreateCoredumpOnCrash", compiler, "-cp", place(FileMemory.class) + File.pathSeparator + place(FileMemoryTest.class),
      FileMemoryProcess.class.getName(), folder.resolve("file").toString(), String.valueOf(warm)));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).directory(folder.toFile()).start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals("faults 1120 of 1120, late 0", output.strip());
      assertEquals(0, process.waitFor());
    } finally {
      process.destroyForcibly();
    }
  }

  private static String place(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }
}
