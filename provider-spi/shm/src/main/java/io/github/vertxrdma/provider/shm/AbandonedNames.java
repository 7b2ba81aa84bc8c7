package io.github.vertxrdma.provider.shm;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Removes sockets in a meeting folder that killed processes left behind. Thread-safe. */
final class AbandonedNames {
  private static final int MOST = 1 << 14;
  /** Age from which a socket is checked: a starting listener has a name for a moment before it listens. */
  private static final long STARTED_MILLIS = 10_000;
  private static final int TYPE = 0170000;
  /** Maximum wait for the lock of a folder, which other processes hold for microseconds. */
  private static final long LOCK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long LOCK_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
  private static final Set<Path> BEGUN = ConcurrentHashMap.newKeySet();

  private AbandonedNames() {
  }

  static void removeAllOnce(MeetingFolder folder) {
    if (BEGUN.add(folder.path())) {
      Thread.ofPlatform().daemon().name("vertx-rdma-shm-names").start(() -> removeAll(folder));
    }
  }

  static void removeAll(MeetingFolder folder) {
    int looked = 0;
    try (DirectoryStream<Path> names = Files.newDirectoryStream(folder.path())) {
      for (Path name : names) {
        if (++looked > MOST) {
          return;
        }
        if (isSocket(name) && age(name) > STARTED_MILLIS) {
          removeIfAbandoned(folder, name);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // The next process checks again.
    }
  }

  static void removeIfAbandoned(MeetingFolder folder, Path name) {
    try {
      if (isAbandoned(name)) {
        take(folder, name, () -> null);
      }
    } catch (IOException e) {
      // The socket was removed meanwhile, or belongs to another user.
    }
  }

  private static boolean isSocket(Path name) throws IOException {
    return ((Integer) Files.getAttribute(name, "unix:mode", LinkOption.NOFOLLOW_LINKS) & TYPE) == PathDescriptor.SOCKET;
  }

  private static long age(Path name) throws IOException {
    return System.currentTimeMillis() - Files.getLastModifiedTime(name, LinkOption.NOFOLLOW_LINKS).toMillis();
  }

  interface Use<T> {
    T call() throws IOException;
  }

  /**
   * Removes an abandoned socket of a name, then uses the name, both under the lock of the folder.
   *
   * @throws IOException also if another process holds the lock
   */
  static <T> T take(MeetingFolder folder, Path name, Use<T> use) throws IOException {
    // The lock is that of the process.
    synchronized (AbandonedNames.class) {
      try (FileChannel lock = folder.lock()) {
        await(lock, folder);
        Object before = key(name);
        if (before != null && isSocket(name) && isAbandoned(name) && before.equals(key(name))) {
          Files.deleteIfExists(name);
        }
        return use.call();
      }
    }
  }

  private static void await(FileChannel lock, MeetingFolder folder) throws IOException {
    long end = System.nanoTime() + LOCK_NANOS;
    while (lock.tryLock() == null) {
      if (System.nanoTime() - end > 0) {
        throw new IOException("another process holds the lock of " + folder.path() + ". Continue it if it is stopped, or end it");
      }
      LockSupport.parkNanos(LOCK_PAUSE_NANOS);
    }
  }

  private static Object key(Path name) throws IOException {
    try {
      return Files.readAttributes(name, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** A connect to a listener of another socket type fails (EPROTOTYPE), and that listener does not notice it. */
  private static boolean isAbandoned(Path socket) {
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.configureBlocking(false);
      probe.connect(UnixDomainSocketAddress.of(socket));
      return false;
    } catch (ConnectException e) {
      return true;
    } catch (IOException e) {
      return Files.notExists(socket);
    }
  }
}
