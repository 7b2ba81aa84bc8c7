package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.ProjectFiles.PROJECT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sources and pages have none of the words that CONTRIBUTING.md keeps out. */
@Timeout(60)
class VocabularyTest {
  private static final Path WORDS = Path.of("CONTRIBUTING.md");

  @Test
  void noWordThatIsKeptOut() throws IOException {
    List<String> words = words();
    assertTrue(words.contains("doorbell") && words.contains("sanity"), words.toString());
    Pattern kept = Pattern.compile("\\b(?:" + String.join("|", words) + ")\\b", Pattern.CASE_INSENSITIVE);
    List<String> found = new ArrayList<>();
    for (Path file : ProjectFiles.all().stream().map(PROJECT::relativize).filter(VocabularyTest::isLooked).toList()) {
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

  private static boolean isLooked(Path file) {
    String path = file.toString();
    boolean source = path.endsWith(".java") && path.contains("src/main/java");
    return source || path.equals("README.md") || file.startsWith("docs") && path.endsWith(".adoc");
  }
}
