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

/** Removes sockets of killed processes from the {@link MeetingFolder}. Thread-safe. */
final class AbandonedNames {
  private static final int MOST = 1 << 14;
  /** Minimum age of a socket to check, in milliseconds. A new listener binds its name before it listens. */
  private static final long STARTED_MILLIS = 10_000;
  private static final long LOCK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long LOCK_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
  private static final Set<Path> BEGUN = ConcurrentHashMap.newKeySet();

  private AbandonedNames() {
  }

  static void removeAllOnce(MeetingFolder folder) {
    if (BEGUN.add(folder.path())) {
      try {
        Thread.ofPlatform().daemon().name("vertx-rdma-shm-names").start(() -> removeAll(folder));
      } catch (OutOfMemoryError e) {
        BEGUN.remove(folder.path());
      }
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
    return ((Integer) Files.getAttribute(name, "unix:mode", LinkOption.NOFOLLOW_LINKS) & PathDescriptor.TYPE) == PathDescriptor.SOCKET;
  }

  private static long age(Path name) throws IOException {
    return System.currentTimeMillis() - Files.getLastModifiedTime(name, LinkOption.NOFOLLOW_LINKS).toMillis();
  }

  interface Use<T> {
    T call() throws IOException;
  }

  /**
   * Removes the socket at a path if no process listens on it. Then calls {@code use} in any case, under the folder's lock.
   */
  static <T> T take(MeetingFolder folder, Path name, Use<T> use) throws IOException {
    // A file lock excludes other processes. The monitor excludes other threads of this process.
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
        throw new IOException("cannot lock " + folder.path() + ": another process holds the lock. If that process is stopped, "
          + "continue or end it");
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

  /**
   * Returns whether no process listens on a socket. Connects with SOCK_STREAM: the kernel then returns EPROTOTYPE without notifying a
   * listener with SOCK_SEQPACKET.
   */
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
