package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class SimpleNamesTest {
  /** Names that exist twice: the public API and the SPI both use the term of the field. */
  private static final Set<String> TWICE = Set.of("MemoryRegion.java");
  private static final Set<String> EVERYWHERE = Set.of("package-info.java", "module-info.java");

  @Test
  void eachNameOfMainCodeIsUsedOnce() throws Exception {
    Map<String, Long> uses = ProjectFiles.all().stream().map(ProjectFiles.PROJECT::relativize)
      .filter(file -> file.toString().contains("src/main/java/")).map(Path::getFileName).map(Path::toString)
      .filter(name -> name.endsWith(".java") && !EVERYWHERE.contains(name))
      .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    assertEquals(TWICE, uses.entrySet().stream().filter(use -> use.getValue() > 1).map(Map.Entry::getKey).collect(Collectors.toSet()));
  }
}
