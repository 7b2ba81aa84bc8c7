package io.github.vertxrdma.impl.process;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * File that a process locks while it lives. The kernel shows the lock to all namespaces, and releases it when the process ends. A file is
 * locked before it gets its name. So the process of an unlocked file is dead, unless its {@link LivenessSocket} answers.
 *
 * <p>No other code of the process may open the file: closing any descriptor of a file releases all locks of the process on it,
 * fcntl_locking(2). The file name is unique in this process. Used by one thread at a time.
 */
public final class HeldFile implements AutoCloseable {
  /** Files of this process, by name. */
  private static final Map<String, HeldFile> OWN = new ConcurrentHashMap<>();
  /** Local file systems, on which every process of the host sees the locks. */
  private static final Set<String> OF_ONE_KERNEL = Set.of("tmpfs", "ramfs", "ext2", "ext3", "ext4", "xfs", "btrfs", "overlay");
  private static final Map<Path, Boolean> SEES_LOCKS = new ConcurrentHashMap<>();

  private final Path path;
  private final LivenessSocket liveness = LivenessSocket.open();
  private volatile FileChannel channel;
  private Object key;
  private boolean closed;

  public enum State {
    HELD,
    /** The process that wrote the file is dead. */
    FREE,
    /** The file cannot be opened, or another host may hold its lock. */
    UNKNOWN
  }

  private HeldFile(Path path) {
    this.path = path;
  }

  public static HeldFile create(Path path, byte[] content) throws IOException {
    HeldFile made = new HeldFile(path);
    OWN.put(name(path), made);
    try {
      made.write(content);
      return made;
    } catch (IOException | RuntimeException e) {
      OWN.remove(name(path));
      made.liveness.close();
      throw e;
    }
  }

  private void write(byte[] content) throws IOException {
    channel = RuntimeFolder.writeHeld(path, content);
    key = key(path);
  }

  private static String name(Path path) {
    return path.getFileName().toString();
  }

  /** Returns the object of this process for a file of this name, or null. Thread-safe. */
  static HeldFile own(Path path) {
    return OWN.get(name(path));
  }

  /** Returns the device and inode of a file, or null if the file does not exist. */
  public static Object key(Path path) throws IOException {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** Returns the open file. Callers must not close it. */
  public FileChannel channel() {
    return channel;
  }

  public boolean isThere() throws IOException {
    Object now = key(path);
    return now != null && now.equals(key);
  }

  /** Creates the file, and the socket of this process, again if another process removed them. Returns whether the file was missing. */
  public boolean restore(byte[] content) throws IOException {
    liveness.restore();
    if (isThere()) {
      return false;
    }
    RuntimeFolder.ensure(path.toAbsolutePath().getParent());
    FileChannel removed = channel;
    try {
      write(content);
    } finally {
      if (channel != removed) {
        removed.close();
      }
    }
    return true;
  }

  public static State state(Path path) {
    if (OWN.containsKey(name(path))) {
      return State.HELD;
    }
    // Two concurrent lock attempts of one process on a file would fail with OverlappingFileLockException.
    synchronized (SEES_LOCKS) {
      try (FileChannel opened = FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
        return opened.tryLock(0, Long.MAX_VALUE, true) == null || answers(path) ? State.HELD : seesLocks(path) ? State.FREE : State.UNKNOWN;
      } catch (IOException | OverlappingFileLockException e) {
        return State.UNKNOWN;
      }
    }
  }

  private static boolean answers(Path path) {
    return ProcessName.of(name(path)).filter(writer -> LivenessSocket.lives(writer.process())).isPresent();
  }

  public static boolean seesLocks(Path path) {
    Path folder = path.toAbsolutePath().getParent();
    Boolean known = SEES_LOCKS.get(folder);
    if (known == null) {
      try {
        known = OF_ONE_KERNEL.contains(Objects.toString(Files.getFileStore(folder).type(), ""));
      } catch (IOException e) {
        // The cause may be a temporary lack of file descriptors, so the result is not cached.
        return false;
      }
      SEES_LOCKS.put(folder, known);
    }
    return known;
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      try {
        if (isThere()) {
          Files.deleteIfExists(path);
        }
      } finally {
        channel.close();
        OWN.remove(name(path));
        liveness.close();
      }
    }
  }
}
