package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.ProjectFiles.PROJECT;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Checks that scripts run in bash 3.2 of macOS, which refuses a script even for a line that never runs. */
@Timeout(60)
class LauncherScriptsTest {
  private static final Map<String, String> LATER = new LinkedHashMap<>();

  static {
    LATER.put("[@?*+!]\\([^)]*\\|[^)]*\\)", "4.1, without extglob");
    LATER.put("\\b(?:declare|local|typeset) -[a-z]*A", "4.0");
    LATER.put("\\b(?:declare|local|typeset) -[a-z]*n", "4.3");
    LATER.put("\\b(?:mapfile|readarray|coproc)\\b", "4.0");
    LATER.put("\\$\\{\\w+(?:\\[[^]]*])?[,^]", "4.0");
    LATER.put("\\$\\{\\w+(?:\\[[^]]*])?@[A-Za-z]}", "4.4");
    LATER.put("\\|&|&>>", "4.0");
    LATER.put("\\[ -v ", "4.2");
    LATER.put("\\bwait -n\\b", "4.3");
  }

  @Test
  void theScriptsHaveNoWordThatTheBashOfMacOsLacks() throws Exception {
    List<Path> scripts = new ArrayList<>(List.of(PROJECT.resolve("rdma"), PROJECT.resolve("tests/run")));
    try (Stream<Path> files = Files.list(PROJECT.resolve("tools/rdma/launcher"))) {
      files.sorted().forEach(scripts::add);
    }
    List<String> found = new ArrayList<>();
    for (Path script : scripts) {
      List<String> lines = Files.readAllLines(script);
      for (int i = 0; i < lines.size(); i++) {
        for (Map.Entry<String, String> later : LATER.entrySet()) {
          Matcher word = Pattern.compile(later.getKey()).matcher(lines.get(i));
          if (word.find()) {
            found.add(
              PROJECT.relativize(script) + ":" + (i + 1) + ": '" + word.group() + "' needs bash " + later.getValue() + ", macOS has 3.2");
          }
        }
      }
    }
    assertEquals(List.of(), found);
  }
}
