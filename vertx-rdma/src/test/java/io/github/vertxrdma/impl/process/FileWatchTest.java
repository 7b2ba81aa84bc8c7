package io.github.vertxrdma.impl.process;

import static org.junit.jupiter.api.Assertions.*;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileWatchTest {
  @TempDir
  Path temp;
  private final CountDownLatch changed = new CountDownLatch(1);

  @BeforeEach
  void checkFileSystem() {
    assumeTrue(HeldFile.seesLocks(temp.resolve("any")), "SKIPPED: the temporary folder is on a file system of several kernels");
  }

  @Test
  void fileIsWatchedAlthoughAnotherFolderIsMissing() throws Exception {
    Path file = Files.createFile(temp.resolve("file"));
    try (FileWatch watch = new FileWatch(changed::countDown)) {
      assertFalse(watch.watch(List.of(temp.resolve("missing").resolve("file"), file), List.of()));
      Files.delete(file);
      assertTrue(changed.await(30, TimeUnit.SECONDS));
    }
  }

  @Test
  void creationOfFolderIsReported() throws Exception {
    try (FileWatch watch = new FileWatch(changed::countDown)) {
      assertTrue(watch.watch(List.of(), List.of(temp.resolve("later"))));
      Files.createDirectory(temp.resolve("later"));
      assertTrue(changed.await(30, TimeUnit.SECONDS));
    }
  }
}
