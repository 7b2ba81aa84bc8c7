package io.github.vertxrdma.provider.ffi;

import io.github.vertxrdma.provider.ProviderException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Anonymous memory that other processes of the same user on this host can look into, named by process id and file descriptor;
 * memfd_create(2). It has no name in any file system, so nothing is left when the process dies.
 */
public final class SharedTable implements AutoCloseable {
  private static final long MEMFD_CREATE = Downcall.libc("memfd_create");
  private static final int MFD_CLOEXEC = 1;

  private final Arena arena = Arena.ofShared();
  private final int fd;
  private final MemorySegment memory;

  /**
   * Makes one, zeroed; pages that are not touched take no memory.
   *
   * @throws ProviderException {@code UNSUPPORTED} where the kernel or C library has no such thing
   */
  public SharedTable(String name, long bytes) {
    if (MEMFD_CREATE == 0) {
      throw new ProviderException(ProviderException.Reason.UNSUPPORTED, "the C library has no memfd_create");
    }
    long cName = Memory.allocateString(name);
    try {
      fd = FileDescriptor.check(Calls.number(MEMFD_CREATE, cName, MFD_CLOEXEC), "memfd_create");
    } finally {
      Memory.free(cName);
    }
    try (FileChannel channel = FileChannel.open(Path.of("/proc/self/fd/" + fd), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
    } catch (IOException e) {
      FileDescriptor.close(fd);
      throw new ProviderException(ProviderException.Reason.OTHER, "mapping " + bytes + " bytes of shared memory: " + e.getMessage(), e);
    }
  }

  public int fd() {
    return fd;
  }

  public MemorySegment memory() {
    return memory;
  }

  /**
   * Maps one of another process, or of this.
   *
   * @param name as it was made with
   * @param arena keeps it mapped
   * @return the memory to look into; null if there is no such table: the process is gone, or in another PID namespace or another user's
   */
  public static MemorySegment lookInto(String name, int pid, int fd, Arena arena) {
    Path path = Path.of("/proc/" + pid + "/fd/" + fd);
    try {
      // Anything else must not even be opened: it may block, or do things when opened.
      if (!Files.readSymbolicLink(path).toString().startsWith("/memfd:" + name)) {
        return null;
      }
      try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
        return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      }
    } catch (IOException | RuntimeException e) {
      return null;
    }
  }

  /** Unmaps and closes it; those who look into it keep what was there last. Idempotent. */
  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
      FileDescriptor.close(fd);
    }
  }
}
