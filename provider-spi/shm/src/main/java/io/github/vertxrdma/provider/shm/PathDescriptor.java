package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.util.Map;

/**
 * File descriptor with {@code O_PATH}, open(2). All methods use the opened file, even if another process replaces the file at the path.
 * Opening does not wait, even for a FIFO.
 */
record PathDescriptor(int fd, Path path) implements AutoCloseable {
  static final int FOLDER = 0040000;
  static final int REGULAR = 0100000;
  static final int SOCKET = 0140000;
  static final int TYPE = 0170000;

  static final long ANY = -1;

  /** Opens a file. Throws if it has another type or owner. */
  static PathDescriptor open(Path path, int type, long user) throws IOException {
    int fd = SystemCalls.openPath(path.toString());
    if (fd == -Errno.ENOENT) {
      throw new NoSuchFileException(path.toString());
    }
    if (fd < 0) {
      throw new FileSystemException(path.toString(), null, Errno.describe(-fd));
    }
    PathDescriptor opened = new PathDescriptor(fd, path);
    try {
      Map<String, Object> is = Files.readAttributes(opened.file(), "unix:uid,mode");
      if (((Integer) is.get("mode") & TYPE) != type || user != ANY && ((Number) is.get("uid")).longValue() != user) {
        throw new FileSystemException(path.toString(), null, "the file has another type or owner than expected");
      }
      return opened;
    } catch (IOException | RuntimeException e) {
      opened.close();
      throw e;
    }
  }

  /** Returns a path by which the kernel finds the opened file; proc_pid_fd(5). */
  private Path file() {
    return Path.of("/proc/self/fd", Integer.toString(fd));
  }

  void mode(int mode) throws IOException {
    Files.setAttribute(file(), "unix:mode", mode);
  }

  void group(GroupPrincipal group) throws IOException {
    Files.setAttribute(file(), "posix:group", group);
  }

  FileChannel channel(OpenOption... options) throws IOException {
    return FileChannel.open(file(), options);
  }

  @Override
  public void close() {
    FileDescriptor.close(fd);
  }
}
