package io.github.vertxrdma.provider.shm;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Removes sockets in a meeting folder that killed processes left behind. Thread-safe. */
final class AbandonedNames {
  /** Maximum number of names of a folder that are checked. */
  private static final int MOST = 1 << 14;
  /** Age from which a hidden name (with a dot) is checked: a starting listener has one for a moment. */
  private static final long HIDDEN_MILLIS = 600_000;
  private static final int SOCKET = 0140000;
  private static final int TYPE = 0170000;
  /** Folders that this process has checked, or is checking. */
  private static final Set<Path> BEGUN = ConcurrentHashMap.newKeySet();

  private AbandonedNames() {
  }

  /** Removes the abandoned sockets of a folder, once in a process, without waiting: most have names that are not used again. */
  static void removeAllOnce(MeetingFolder folder) {
    if (BEGUN.add(folder.path())) {
      Thread.ofPlatform().daemon().name("vertx-rdma-shm-names").start(() -> removeAll(folder));
    }
  }

  /** Removes the abandoned sockets of a folder; blocks. */
  static void removeAll(MeetingFolder folder) {
    int looked = 0;
    try (DirectoryStream<Path> names = Files.newDirectoryStream(folder.path())) {
      for (Path name : names) {
        if (++looked > MOST) {
          return;
        }
        removeIfAbandoned(folder, name);
      }
    } catch (IOException | DirectoryIteratorException e) {
      // Abandoned sockets disturb no process; the next process checks again.
    }
  }

  private static void removeIfAbandoned(MeetingFolder folder, Path name) {
    try {
      if (mayBeOne(name)) {
        isRemoved(folder, name);
      }
    } catch (IOException e) {
      // The socket was removed meanwhile, or belongs to another user.
    }
  }

  private static boolean mayBeOne(Path name) throws IOException {
    Map<String, Object> is = Files.readAttributes(name, "unix:mode,lastModifiedTime", LinkOption.NOFOLLOW_LINKS);
    long age = System.currentTimeMillis() - ((FileTime) is.get("lastModifiedTime")).toMillis();
    return ((Integer) is.get("mode") & TYPE) == SOCKET && (!name.getFileName().toString().startsWith(".") || age > HIDDEN_MILLIS);
  }

  /** Removes an abandoned socket; blocks. @return false if a process listens there */
  static boolean isRemoved(MeetingFolder folder, Path name) throws IOException {
    if (!isAbandoned(name)) {
      return false;
    }
    // One at a time: otherwise another process could have taken the name meanwhile.
    synchronized (AbandonedNames.class) {
      try (FileChannel lock = folder.lock(); FileLock held = lock.lock()) {
        Object before = key(name);
        if (before != null && isAbandoned(name) && before.equals(key(name))) {
          Files.deleteIfExists(name);
        }
      }
    }
    return true;
  }

  /** Returns the key of the file of a name, or null if there is none. */
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
