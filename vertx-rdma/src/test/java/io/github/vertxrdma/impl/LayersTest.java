package io.github.vertxrdma.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The packages of the implementation form layers: each imports only those that stand before it in this list. */
@Timeout(60)
class LayersTest {
  private static final List<String> LAYERS = List.of("process", "events", "statistics", "wire", "memory", "loop", "device", "framing",
    "rma", "message", "link", "opening", "auth", "control",
    "directory", "region", "node", "connection", "raw", "tagged", "transport", "bus", "");
  private static final Path ROOT = Path.of("src/main/java/io/github/vertxrdma/impl");
  private static final Pattern IMPORT =
    Pattern.compile("^import (?:static )?io\\.github\\.vertxrdma\\.impl\\.((?:[a-z]\\w*\\.)*)[A-Z]", Pattern.MULTILINE);

  @Test
  void aPackageImportsOnlyWhatIsBelowIt() throws Exception {
    List<String> wrong = new ArrayList<>();
    Set<String> seen = new TreeSet<>();
    try (Stream<Path> files = Files.walk(ROOT)) {
      files.filter(file -> file.toString().endsWith(".java")).forEach(file -> {
        String layer = ROOT.relativize(file.getParent()).toString().replace('/', '.');
        seen.add(layer);
        Matcher imported = IMPORT.matcher(read(file));
        while (imported.find()) {
          String other = imported.group(1).isEmpty() ? "" : imported.group(1).substring(0, imported.group(1).length() - 1);
          if (LAYERS.indexOf(other) > LAYERS.indexOf(layer)) {
            wrong.add(layer + "/" + file.getFileName() + " imports of " + other + ", which is above it");
          }
        }
      });
    }
    assertEquals(List.of(), wrong);
    assertTrue(seen.equals(new TreeSet<>(LAYERS)), () -> "the list of layers and the packages differ: " + LAYERS + " and " + seen);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
