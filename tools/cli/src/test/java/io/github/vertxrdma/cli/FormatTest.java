package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.ProjectFiles.PROJECT;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The sources look as CONTRIBUTING.md says. */
@Timeout(120)
class FormatTest {
  private static final int LONGEST_LINE = 160;
  private static final Pattern TEXT = Pattern.compile(".*\\.(java|xml|md|adoc|txt|yml|json|html|css|js|properties|sh)|rdma|run");
  private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?[\\w.]+\\.(\\w+);$");
  private static final Map<Path, String> FILES = new TreeMap<>();

  @BeforeAll
  static void read() throws IOException {
    for (Path file : ProjectFiles.all()) {
      if (TEXT.matcher(file.getFileName().toString()).matches() && Files.isRegularFile(file)) {
        FILES.put(PROJECT.relativize(file), Files.readString(file));
      }
    }
  }

  /** @return file:line of each line that is found */
  private static List<String> lines(String pattern, boolean javaOnly) {
    List<String> found = new ArrayList<>();
    Pattern wanted = Pattern.compile(pattern);
    FILES.forEach((file, text) -> {
      if (!javaOnly || file.toString().endsWith(".java")) {
        int number = 0;
        for (String line : text.split("\n", -1)) {
          number++;
          if (wanted.matcher(line).find()) {
            found.add(file + ":" + number);
          }
        }
      }
    });
    return found;
  }

  @Test
  void thereAreNoTabsCarriageReturnsOrBlanksAtTheEndOfLines() {
    assertEquals(List.of(), lines("[\t\r]| $", false));
  }

  @Test
  void filesEndWithOneNewline() {
    List<String> wrong = new ArrayList<>();
    FILES.forEach((file, text) -> {
      if (!text.isEmpty() && (!text.endsWith("\n") || text.endsWith("\n\n"))) {
        wrong.add(file.toString());
      }
    });
    assertEquals(List.of(), wrong);
  }

  @Test
  void noLineOfJavaIsTooLong() {
    assertEquals(List.of(), lines("^.{" + (LONGEST_LINE + 1) + "}", true));
  }

  /** Comments that begin with a question word are half sentences, which have to be read twice. */
  @Test
  void commentsBeginWithANounOrAVerb() {
    assertEquals(List.of(), lines("^ *(/\\*\\*|//) (Who|Whose|Whom|What|How|Where) ", true));
  }

  @Test
  void importsStandInOneOrder() {
    List<String> wrong = new ArrayList<>();
    FILES.forEach((file, text) -> {
      List<String> imports = text.lines().filter(line -> line.startsWith("import ")).map(line -> line.replace(";", "")).toList();
      List<String> order = new ArrayList<>(imports.stream().filter(line -> line.startsWith("import static ")).sorted().toList());
      imports.stream().filter(line -> !line.startsWith("import static ")).sorted().forEach(order::add);
      if (file.toString().endsWith(".java") && !imports.equals(order)) {
        wrong.add(file.toString());
      }
    });
    assertEquals(List.of(), wrong);
  }

  @Test
  void nothingIsImportedThatIsNotUsed() {
    List<String> unused = new ArrayList<>();
    FILES.forEach((file, text) -> {
      if (file.toString().endsWith(".java")) {
        String body = IMPORT.matcher(text).replaceAll("");
        for (Matcher imported = IMPORT.matcher(text); imported.find();) {
          if (!Pattern.compile("\\b" + imported.group(1) + "\\b").matcher(body).find()) {
            unused.add(file + ": " + imported.group(1));
          }
        }
      }
    });
    assertEquals(List.of(), unused);
  }
}
