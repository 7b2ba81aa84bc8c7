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
 * File that a process locks as long as it lives. The kernel shows the lock to all namespaces, and releases it when the process ends. The
 * file gets its name after its lock, so without a lock its process is dead, unless the {@link LivenessSocket} of that answers.
 *
 * <p>No other code of the process opens it: closing any descriptor of a file releases all locks of the process on it, fcntl_locking(2). Its
 * name is unique in this process. Used by one thread at a time.
 */
public final class HeldFile implements AutoCloseable {
  private static final Set<String> OWN = ConcurrentHashMap.newKeySet();
  /** Local file systems: each process of the host sees locks. */
  private static final Set<String> OF_ONE_KERNEL = Set.of("tmpfs", "ramfs", "ext2", "ext3", "ext4", "xfs", "btrfs", "overlay");
  private static final Map<Path, Boolean> SEES_LOCKS = new ConcurrentHashMap<>();

  private final Path path;
  private final LivenessSocket liveness;
  private FileChannel channel;
  private Object key;
  private boolean closed;

  public enum State {
    HELD,
    /** The process is dead. */
    FREE,
    /** There is no file, or its lock may be that of another kernel. */
    UNKNOWN
  }

  private HeldFile(Path path) {
    this.path = path;
    this.liveness = LivenessSocket.open();
  }

  /** Creates and locks a file with mode 0600. */
  public static HeldFile create(Path path, byte[] content) throws IOException {
    HeldFile made = new HeldFile(path);
    OWN.add(name(path));
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

  /** Returns the identity of a file, or null if there is none. */
  public static Object key(Path path) throws IOException {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** Returns the open file, which only this object closes. */
  public FileChannel channel() {
    return channel;
  }

  /** Returns whether others have not removed the file. */
  public boolean isThere() throws IOException {
    Object now = key(path);
    return now != null && now.equals(key);
  }

  /** Restores the file, and the socket of this process, if others removed them. @return whether the file was removed */
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
    if (OWN.contains(name(path))) {
      return State.HELD;
    }
    // Two locks of one process on a file exclude each other.
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
        // A lack of descriptors passes.
        return false;
      }
      SEES_LOCKS.put(folder, known);
    }
    return known;
  }

  /** Removes the file. */
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
