package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DemoSizeTest {
  private static final int MAX_FILES = 7;
  private static final int MAX_LINES = 150;

  @Test
  void demosAreFewShortFiles() throws Exception {
    List<Path> files;
    try (Stream<Path> walk = Files.walk(Path.of("src/main/java"))) {
      files = walk.filter(file -> file.toString().endsWith(".java")).toList();
    }
    assertTrue(!files.isEmpty() && files.size() <= MAX_FILES, files.size() + " files");
    List<String> tooLong = new ArrayList<>();
    for (Path file : files) {
      int lines = Files.readAllLines(file).size();
      if (lines > MAX_LINES) {
        tooLong.add(file.getFileName() + " has " + lines + " lines");
      }
    }
    assertEquals(List.of(), tooLong);
  }
}
