package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the functions demo from the command line: three processes work through a small folder. */
@Timeout(480)
class FunctionsDemoTest {
  @TempDir
  Path folder;

  @Test
  @Tag("full")
  void allFilesOfTheFolderAreProcessed() throws Exception {
    Random random = new Random(1);
    for (int i = 0; i < 20; i++) {
      byte[] bytes = new byte[random.nextInt(300_000)];
      random.nextBytes(bytes);
      Files.write(folder.resolve("random " + i), bytes);
    }
    Files.writeString(folder.resolve("text"), "two words\n".repeat(250_000));
    try (DemoProcess demo = DemoProcess.start("functions", folder.toString(), "--workers", "1")) {
      assertEquals(0, demo.waitFor(), demo::output);
      assertTrue(demo.output().contains("A | read 21 files of "), demo::output);
      assertEquals(3, demo.output().lines().filter(line -> line.startsWith("A | leased 1 worker of node ")).count(), demo::output);
      assertTrue(demo.line("the same on workers and here").matches("A \\| \\d+ lines, \\d+ words, .*"), demo::output);
      assertTrue(demo.line("speed-up").startsWith("A | one thread: "), demo::output);
      assertTrue(demo.line("on a hot worker").contains("p50 "), demo::output);
      assertEquals(4, demo.output().lines().filter(line -> line.startsWith("A | bill of the demo for node ")).count(), demo::output);
      assertTrue(demo.output().contains("done: the workers' results are those of one thread"), demo::output);
      System.out.println(demo.line("speed-up"));
    }
  }
}
