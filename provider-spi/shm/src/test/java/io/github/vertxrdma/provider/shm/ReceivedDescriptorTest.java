package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Memory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Files that a peer sent: those whose pages it could take away would end this process, SIGBUS of mmap(2). */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class ReceivedDescriptorTest {
  private static final int O_RDWR_CLOEXEC = 0x80002;

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

  private static void assertRefused(int fd) {
    ProviderException refused = assertThrows(ProviderException.class, () -> new ReceivedDescriptor(fd).map(0, AnonymousFile.PAGE, true));
    assertTrue(refused.getMessage().contains("could shrink"), refused.getMessage());
  }

  @Test
  void aFileWithoutSealsIsRefused() {
    int fd = SystemCalls.memoryFile();
    assertEquals(0, SystemCalls.allocate(fd, AnonymousFile.PAGE));
    assertRefused(fd);
  }

  /** Most file systems know no seals: fcntl(2) fails, which is no seal either. */
  @Test
  void aFileThatCannotHaveSealsIsRefused() throws IOException {
    assertRefused(open(Files.write(folder.resolve("file"), new byte[(int) AnonymousFile.PAGE])));
  }

  @Test
  void aFileWithSealsIsMapped() {
    int fd = SystemCalls.memoryFile();
    assertEquals(0, SystemCalls.allocate(fd, AnonymousFile.PAGE));
    assertTrue(SystemCalls.seal(fd, SystemCalls.SEAL_SHRINK));
    Mapping mapping = new ReceivedDescriptor(fd).map(0, AnonymousFile.PAGE, true);
    assertEquals(AnonymousFile.PAGE, mapping.memory().byteSize());
    mapping.unmap();
  }
}
