package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Follows the README in an empty folder. */
@Timeout(300)
class ReadmeTest {
  /** Blocks of code: files if a comment precedes them, commands if they are a console. */
  private static final Pattern BLOCK = Pattern.compile("(?s)(?:<!-- (\\S+?)(#\\S+)? -->\n)?```(\\w*)\n(.*?)```");

  @TempDir
  Path temp;

  @Test
  @Tag("full")
  void commandsOfReadmePrintItsOutput() throws Exception {
    UserProject.needsMaven();
    UserProject project = new UserProject("readme");
    int consoles = 0;
    try (Terminal terminal = new Terminal(project.folder, project.environment(temp))) {
      for (Matcher block = BLOCK.matcher(Files.readString(UserProject.SOURCES.resolve("README.md"))); block.find();) {
        if (block.group(1) != null) {
          project.file(Path.of(block.group(1)).getFileName().toString(), block.group(4));
        } else if (block.group(3).equals("console")) {
          terminal.follow(block.group(4));
          consoles++;
        }
      }
    }
    assertTrue(consoles >= 4, consoles + " consoles");
  }

  @Test
  @Tag("full")
  void newProjectOfTheTestingPagePassesItsTest() throws Exception {
    UserProject.needsMaven();
    UserProject project = new UserProject("first-test");
    String page = Files.readString(UserProject.SOURCES.resolve("docs/testing.adoc"));
    project.file("pom.xml", block(page, "<artifactId>orders</artifactId>"));
    project.file("src/test/java/OrdersTest.java", block(page, "class OrdersTest"));
    try (Terminal terminal = new Terminal(project.folder, project.environment(temp))) {
      terminal.follow(block(page, "$ mvn -B test"));
    }
  }

  /** Returns the one block of a page with these words. */
  private static String block(String page, String words) {
    List<String> blocks = Pattern.compile("(?ms)^----$\n(.*?)^----$").matcher(page).results().map(each -> each.group(1))
      .filter(each -> each.contains(words)).toList();
    assertEquals(1, blocks.size(), words);
    return blocks.getFirst();
  }
}
