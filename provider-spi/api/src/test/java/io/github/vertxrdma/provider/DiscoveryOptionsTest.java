package io.github.vertxrdma.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiscoveryOptionsTest {
  private static final long USER = 4711;

  @TempDir
  Path folder;

  @Test
  void settingNamesTheRuntimeFolder() {
    assertEquals(Path.of("/run/orders"), new DiscoveryOptions(null, Map.of("runtime", "/run/orders")).runtimeFolder(USER));
  }

  @Test
  void folderOfAnotherUserIsAvoidedIfTheUserHasOneInRun() throws IOException {
    Path usual = folder.resolve("vertx-rdma-4711");
    Path run = Files.createDirectory(folder.resolve("4711"));
    assumeTrue(chown(run, USER), "SKIPPED folders of other users: only root can make them");
    assertEquals(usual, DiscoveryOptions.chosen(usual, run, USER), "nobody has taken the name");
    Files.createDirectory(usual);
    assertEquals(run.resolve("vertx-rdma"), DiscoveryOptions.chosen(usual, run, USER), "root has taken the name");
    chown(usual, USER);
    assertEquals(usual, DiscoveryOptions.chosen(usual, run, USER), "it is that of the user");
    chown(usual, USER + 1);
    assertEquals(usual, DiscoveryOptions.chosen(usual, folder.resolve("none"), USER), "there is no other");
  }

  private static boolean chown(Path file, long user) {
    try {
      Files.setAttribute(file, "unix:uid", (int) user);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
