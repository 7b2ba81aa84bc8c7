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

/** Sockets in a meeting folder that processes left behind when they were killed. Any thread. */
final class AbandonedNames {
  /** Names of a folder that are looked at. */
  private static final int MOST = 1 << 14;
  /** Age from which a name with a dot is looked at: a listener that begins has one for a moment. */
  private static final long HIDDEN_MILLIS = 600_000;
  private static final int SOCKET = 0140000;
  private static final int TYPE = 0170000;
  /** Folders that this process has looked through, or is looking through. */
  private static final Set<Path> BEGUN = ConcurrentHashMap.newKeySet();

  private AbandonedNames() {
  }

  /** Removes those of a folder, once in a process, and does not wait for that: most have names that nobody wants again. */
  static void removeAllOnce(MeetingFolder folder) {
    if (BEGUN.add(folder.path())) {
      Thread.ofPlatform().daemon().name("vertx-rdma-shm-names").start(() -> removeAll(folder));
    }
  }

  /** Removes those of a folder; blocks. */
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
      // They are in nobody's way; the next process looks again.
    }
  }

  private static void removeIfAbandoned(MeetingFolder folder, Path name) {
    try {
      if (mayBeOne(name)) {
        isRemoved(folder, name);
      }
    } catch (IOException e) {
      // It is gone meanwhile, or another user's.
    }
  }

  private static boolean mayBeOne(Path name) throws IOException {
    Map<String, Object> is = Files.readAttributes(name, "unix:mode,lastModifiedTime", LinkOption.NOFOLLOW_LINKS);
    long age = System.currentTimeMillis() - ((FileTime) is.get("lastModifiedTime")).toMillis();
    return ((Integer) is.get("mode") & TYPE) == SOCKET && (!name.getFileName().toString().startsWith(".") || age > HIDDEN_MILLIS);
  }

  /** Removes one; blocks. @return false if somebody listens there */
  static boolean isRemoved(MeetingFolder folder, Path name) throws IOException {
    if (!isAbandoned(name)) {
      return false;
    }
    // One at a time: another process could have the name by then.
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

  /** The file of a name; null if there is none. */
  private static Object key(Path name) throws IOException {
    try {
      return Files.readAttributes(name, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** A listener of another kind of socket fails a connect otherwise (EPROTOTYPE), and hears nothing of it. */
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
