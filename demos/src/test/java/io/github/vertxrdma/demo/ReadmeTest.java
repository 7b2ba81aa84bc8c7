package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The README, followed in an empty folder, gives what it says. */
@Timeout(300)
class ReadmeTest {
  /** Blocks with a comment before them are files, and those called a console are entered. */
  private static final Pattern BLOCK = Pattern.compile("(?s)(?:<!-- (\\S+?)(#\\S+)? -->\n)?```(\\w*)\n(.*?)```");

  @TempDir
  Path temp;

  @Test
  @Tag("full")
  void whoFollowsItGetsWhatItSays() throws Exception {
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
}
