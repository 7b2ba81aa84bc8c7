package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.LogLines;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Memory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Files of a peer. A file that the peer can shrink would end this process, SIGBUS of mmap(2). */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class ReceivedDescriptorTest {
  private static final int O_RDWR_CLOEXEC = 0x80002;
  private static final int CLOEXEC_SEALING_HUGE = 7;
  private static final long HUGE_PAGE = 2 << 20;
  private static final long USER = 4711;

  @TempDir
  Path folder;

  private static int open(Path file) {
    long path = Memory.allocateString(file.toString());
    try {
      int fd = Calls.number(Downcall.libc("open"), path, O_RDWR_CLOEXEC);
      assertTrue(fd >= 0, file.toString());
      return fd;
    } finally {
      Memory.free(path);
    }
  }

  private static void assertRefused(int fd, String why) {
    ProviderException refused = assertThrows(ProviderException.class, () -> new ReceivedDescriptor(fd, USER).map(AnonymousFile.PAGE, true));
    assertTrue(refused.getMessage().contains(why), refused.getMessage());
  }

  @Test
  void aFileWithoutSealsIsRefused() {
    int fd = SystemCalls.memoryFile();
    assertEquals(0, SystemCalls.allocate(fd, AnonymousFile.PAGE));
    assertRefused(fd, "could shrink");
  }

  /** Most file systems have no seals: fcntl(2) fails. */
  @Test
  void aFileThatCannotHaveSealsIsRefused() throws IOException {
    assertRefused(open(Files.write(folder.resolve("file"), new byte[(int) AnonymousFile.PAGE])), "could shrink");
  }

  private static int sealed(long bytes) {
    int fd = SystemCalls.memoryFile();
    assertEquals(0, SystemCalls.allocate(fd, bytes));
    assertTrue(SystemCalls.seal(fd, SystemCalls.SEAL_SHRINK | SystemCalls.SEAL_GROW));
    return fd;
  }

  @Test
  void aFileWithSealsIsMapped() {
    long failed = SystemCalls.failedUnmaps();
    Mapping mapping = new ReceivedDescriptor(sealed(AnonymousFile.PAGE), USER).map(AnonymousFile.PAGE - 1, true);
    assertEquals(AnonymousFile.PAGE, mapping.memory().byteSize());
    mapping.unmap();
    assertEquals(failed, SystemCalls.failedUnmaps());
  }

  @Test
  void fileOfAnotherSizeThanAnnouncedIsRefused() {
    assertRefused(sealed(2 * AnonymousFile.PAGE), "of 8192 bytes, but announced 4096");
    for (long announced : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 50}) {
      assertThrows(ProviderException.class, () -> new ReceivedDescriptor(sealed(AnonymousFile.PAGE), USER).map(announced, true));
    }
  }

  private static int sparse(long bytes) {
    int fd = SystemCalls.memoryFile();
    assertEquals(0, Calls.number(Downcall.libc("ftruncate"), fd, bytes));
    assertTrue(SystemCalls.seal(fd, SystemCalls.SEAL_SHRINK | SystemCalls.SEAL_GROW));
    return fd;
  }

  /** Files of any size cost their sender nothing; a process without free addresses ends. */
  @Test
  void sparseFilesDoNotExhaustAddresses() {
    int before = Mapping.mapped();
    long half = Mapping.MOST_BYTES_OF_USER / 2;
    Mapping first = new ReceivedDescriptor(sparse(half), USER).map(half, true);
    Mapping second = new ReceivedDescriptor(sparse(half), USER).map(half, false);
    ProviderException refused = assertThrows(ProviderException.class,
      () -> new ReceivedDescriptor(sealed(AnonymousFile.PAGE), USER).map(AnonymousFile.PAGE, true));
    assertEquals(ProviderException.Reason.LIMIT, refused.reason());
    new ReceivedDescriptor(sealed(AnonymousFile.PAGE), USER + 1).map(AnonymousFile.PAGE, true).unmap();
    first.unmap();
    second.unmap();
    new ReceivedDescriptor(sealed(AnonymousFile.PAGE), USER).map(AnonymousFile.PAGE, true).unmap();
    assertEquals(before, Mapping.mapped());
  }

  /** A process has a limited number of mappings (max_map_count of proc(5)). */
  @Test
  void filesOfOneUserDoNotExhaustMappings() {
    List<Mapping> mappings = new ArrayList<>();
    try {
      for (int i = 0; i < Mapping.MOST_OF_USER; i++) {
        mappings.add(map(USER));
      }
      assertRefused(sealed(AnonymousFile.PAGE), "has mapped " + Mapping.MOST_OF_USER + " files of that user");
      // Other tests of this process may have mapped files, too.
      while (Mapping.mapped() < Mapping.MOST) {
        mappings.add(map(USER + 1));
      }
      ProviderException refused = assertThrows(ProviderException.class, () -> map(USER + 2));
      assertEquals(ProviderException.Reason.LIMIT, refused.reason());
      assertTrue(refused.getMessage().contains("and " + Mapping.MOST + " of all users"), refused.getMessage());
      mappings.removeLast().unmap();
      mappings.add(map(USER + 2));
    } finally {
      mappings.forEach(Mapping::unmap);
    }
  }

  private static Mapping map(long user) {
    return new ReceivedDescriptor(sealed(AnonymousFile.PAGE), user).map(AnonymousFile.PAGE, true);
  }

  @Test
  void fileThatCannotBeMappedIsNotCounted() {
    int before = Mapping.mapped();
    assertThrows(ProviderException.class, () -> Mapping.of(-1, AnonymousFile.PAGE, true, USER));
    assertEquals(before, Mapping.mapped());
    Mapping all = new ReceivedDescriptor(sparse(Mapping.MOST_BYTES_OF_USER), USER).map(Mapping.MOST_BYTES_OF_USER, false);
    all.unmap();
    assertEquals(before, Mapping.mapped());
  }

  /** The host may run out of huge pages at any access. */
  @Test
  void fileOfHugePagesIsRefused() {
    long name = Memory.allocateString("huge");
    int fd = Calls.number(Downcall.libc("memfd_create"), name, CLOEXEC_SEALING_HUGE);
    Memory.free(name);
    assumeTrue(fd >= 0 && Calls.number(Downcall.libc("ftruncate"), fd, HUGE_PAGE) == 0, "this kernel has no files of huge pages");
    assertTrue(SystemCalls.seal(fd, SystemCalls.SEAL_SHRINK | SystemCalls.SEAL_GROW));
    assertRefused(fd, "huge pages");
  }

  @Test
  void failedUnmapIsCountedAndLogged() {
    long failed = SystemCalls.failedUnmaps();
    try (LogLines log = new LogLines(SystemCalls.class)) {
      SystemCalls.unmap(1, AnonymousFile.PAGE);
      assertEquals(1, log.warnings().size());
    }
    assertEquals(failed + 1, SystemCalls.failedUnmaps());
  }
}
