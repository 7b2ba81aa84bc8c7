package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.ProjectFiles.PROJECT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Code lines, without comments and blank lines, of all Java sources. {@code main} is src/main without the modules in testing/, which are
 * {@code testing}; {@code vertx-rdma} is the part of that module; {@code test} is src/test.
 */
@Timeout(60)
class CodeLinesTest {
  private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/", Pattern.DOTALL);

  @Test
  void codeLinesStayBelowTheirCeilings() throws IOException {
    Map<String, Long> lines = new TreeMap<>(Map.of("main", 0L, "testing", 0L, "vertx-rdma", 0L, "test", 0L));
    for (Path file : ProjectFiles.all()) {
      String path = PROJECT.relativize(file).toString();
      if (path.endsWith(".java") && path.matches(".*/src/(main|test)/.*")) {
        String kind = path.contains("/src/test/") ? "test" : path.startsWith("testing/") ? "testing" : "main";
        long count = codeLines(Files.readString(file));
        lines.merge(kind, count, Long::sum);
        if (path.startsWith("vertx-rdma/src/main/")) {
          lines.merge("vertx-rdma", count, Long::sum);
        }
      }
    }
    Map<String, Long> ceilings = Files.readAllLines(PROJECT.resolve("tests/ceilings.txt")).stream().map(line -> line.split(" "))
      .collect(Collectors.toMap(parts -> parts[0], parts -> Long.valueOf(parts[1])));
    assertEquals(ceilings.keySet(), lines.keySet());
    List<String> above = lines.entrySet().stream().filter(each -> each.getValue() > ceilings.get(each.getKey()))
      .map(each -> each.getKey() + " has " + each.getValue() + " code lines, " + ceilings.get(each.getKey()) + " in tests/ceilings.txt")
      .toList();
    assertTrue(above.isEmpty(), above::toString);
  }

  @Test
  void commentsAndBlankLinesDoNotCount() {
    assertEquals(3, codeLines("/* a */\n\n/** b\n * c */\nint a;\n  // d\nint b; // e\nint c; /* f\n */\n"));
  }

  private static long codeLines(String source) {
    return COMMENT.matcher(source).replaceAll("").lines().map(String::strip).filter(line -> !line.isEmpty() && !line.startsWith("//"))
      .count();
  }
}
