package io.github.vertxrdma.impl.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sockets whose paths are too long for an address. */
@Timeout(60)
class ShortPathTest {
  @TempDir
  Path temp;

  private Path socket() throws Exception {
    assumeTrue(Files.isWritable(Path.of("/tmp")), "this machine has no /tmp that can be written");
    return Files.createDirectories(temp.resolve("long".repeat(30))).resolve("socket");
  }

  @Test
  void questionsShareOneLink() throws Exception {
    Path socket = socket();
    Path first = ShortPath.of(socket);
    try {
      assertTrue(ShortPath.fits(first), first.toString());
      assertEquals(socket.getParent().toRealPath(), first.getParent().toRealPath());
      assertEquals(first, ShortPath.of(socket));
    } finally {
      Files.delete(first.getParent());
    }
  }

  @Test
  void linkThatLeadsElsewhereIsNotUsed() throws Exception {
    Path socket = socket();
    Path link = ShortPath.of(socket).getParent();
    Files.delete(link);
    Files.createSymbolicLink(link, temp);
    Path other = ShortPath.of(socket).getParent();
    try {
      assertNotEquals(link, other);
      assertEquals(socket.getParent().toRealPath(), other.toRealPath());
    } finally {
      Files.delete(link);
      Files.delete(other);
    }
  }

  /** Another process may see the folder, and may just have made the link. */
  @Test
  void onlyOldLinkOfFolderThatIsGoneIsRemovedWithNextLink() throws Exception {
    Path socket = socket();
    Path link = ShortPath.of(socket).getParent();
    Files.delete(socket.getParent());
    try {
      makeLink("next");
      assertTrue(Files.exists(link, LinkOption.NOFOLLOW_LINKS));
      Files.getFileAttributeView(link, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
        .setTimes(FileTime.fromMillis(System.currentTimeMillis() - TimeUnit.HOURS.toMillis(2)), null, null);
      makeLink("last");
      assertFalse(Files.exists(link, LinkOption.NOFOLLOW_LINKS));
    } finally {
      Files.deleteIfExists(link);
    }
  }

  private void makeLink(String folder) throws Exception {
    Files.delete(ShortPath.of(Files.createDirectories(temp.resolve(folder.repeat(30))).resolve("socket")).getParent());
  }
}
