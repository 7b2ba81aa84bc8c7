package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sources and pages have none of the words that CONTRIBUTING.md keeps out. */
@Timeout(60)
class VocabularyTest {
  private static final Path PROJECT = Path.of("").toAbsolutePath().getParent().getParent();
  private static final Path WORDS = Path.of("CONTRIBUTING.md");

  @Test
  void noWordThatIsKeptOut() throws IOException {
    List<String> words = words();
    assertTrue(words.contains("doorbell") && words.contains("sanity"), words.toString());
    Pattern kept = Pattern.compile("\\b(?:" + String.join("|", words) + ")\\b", Pattern.CASE_INSENSITIVE);
    List<String> found = new ArrayList<>();
    for (Path file : files()) {
      List<String> lines = Files.readAllLines(PROJECT.resolve(file));
      for (int i = 0; i < lines.size(); i++) {
        Matcher word = kept.matcher(lines.get(i));
        if (word.find()) {
          found.add(file + ":" + (i + 1) + ": " + word.group());
        }
      }
    }
    assertEquals(List.of(), found);
  }

  /** The first column of the table. */
  private static List<String> words() throws IOException {
    String page = Files.readString(PROJECT.resolve(WORDS));
    List<String> words = new ArrayList<>();
    for (String row : page.substring(page.indexOf("## Words that stand nowhere")).lines().filter(line -> line.startsWith("| `")).toList()) {
      Pattern.compile("`([^`]+)`").matcher(row.substring(1, row.indexOf('|', 1))).results().forEach(word -> words.add(word.group(1)));
    }
    return words;
  }

  /** Looked for beside what is built, which comes and goes while other modules are tested. */
  private static List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(PROJECT, new SimpleFileVisitor<>() {
      @Override
      public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
        String name = folder.getFileName().toString();
        return name.equals("target") || name.startsWith(".") ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
      }

      @Override
      public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
        Path path = PROJECT.relativize(file);
        if (isLooked(path)) {
          files.add(path);
        }
        return FileVisitResult.CONTINUE;
      }

      @Override
      public FileVisitResult visitFileFailed(Path file, IOException gone) {
        return FileVisitResult.CONTINUE;
      }
    });
    assertTrue(files.size() > 500, () -> "there are only " + files.size() + " files in " + PROJECT);
    return files;
  }

  private static boolean isLooked(Path file) {
    String path = file.toString();
    boolean source = path.endsWith(".java") && path.contains("src/main/java");
    return source || path.equals("README.md") || file.startsWith("docs") && path.endsWith(".adoc");
  }
}
