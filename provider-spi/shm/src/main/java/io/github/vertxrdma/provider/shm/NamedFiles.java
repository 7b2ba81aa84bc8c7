package io.github.vertxrdma.provider.shm;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Names of this process's files in a meeting folder: {@code .file-PID-START-RANDOM-NUMBER}, beside {@code .owner-PID-START-RANDOM}, on
 * which it has a lock as long as it lives. A process id would not tell that, since containers share such folders. Whoever begins to make files here
 * removes those whose owner's lock can be had.
 */
final class NamedFiles {
  private static final String OWNER = ".owner-";
  private static final String FILE = ".file-";
  private static final Map<Path, NamedFiles> ALL = new ConcurrentHashMap<>();
  private static final FileAttribute<?> MODE_0600 = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final MeetingFolder folder;
  private final Set<Path> names = ConcurrentHashMap.newKeySet();
  private String id;
  private Path owner;
  /** Held for its lock; null before the first file. */
  private FileChannel lock;
  private int made;

  private NamedFiles(MeetingFolder folder) {
    this.folder = folder;
  }

  static NamedFiles in(MeetingFolder folder) {
    return ALL.computeIfAbsent(folder.path(), path -> new NamedFiles(folder));
  }

  /** Whether it can be the name of a file here. */
  static boolean isName(String name) {
    return name.startsWith(FILE) && name.chars().allMatch(c -> c == '.' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z');
  }

  /** A new file, of mode 0600. */
  synchronized Path create() throws IOException {
    if (lock == null) {
      begin();
      try {
        Runtime.getRuntime().addShutdownHook(new Thread(this::removeAll, "vertx-rdma-shm-files"));
      } catch (IllegalStateException e) {
        // The process ends; the next one removes them.
      }
    } else if (Files.notExists(owner)) {
      // Somebody cleaned the temporary folder up.
      lock.close();
      begin();
    }
    Path path = folder.path().resolve(FILE + id + '-' + made++);
    open(path, StandardOpenOption.CREATE_NEW).close();
    // Peers remove the names of files that are for one.
    names.removeIf(name -> Files.notExists(name, LinkOption.NOFOLLOW_LINKS));
    names.add(path);
    return path;
  }

  /** Names that are to be removed when the process ends. */
  int remembered() {
    return names.size();
  }

  void remove(Path name) {
    names.remove(name);
    try {
      Files.deleteIfExists(name);
    } catch (IOException e) {
      // It is removed when this process has ended.
    }
  }

  private static FileChannel open(Path path, OpenOption more) throws IOException {
    return FileChannel.open(path, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, more), MODE_0600);
  }

  private void begin() throws IOException {
    folder.restore();
    String process = process();
    removeAbandoned(OWNER + process);
    do {
      id = process + Long.toHexString(ThreadLocalRandom.current().nextLong());
      owner = folder.path().resolve(OWNER + id);
    } while (!isMine());
  }

  /** Tells processes of one id: in containers most have the id 1. */
  private static String process() {
    ProcessHandle own = ProcessHandle.current();
    return own.pid() + "-" + Long.toHexString(own.info().startInstant().map(Instant::toEpochMilli).orElse(0L)) + "-";
  }

  /** Makes the owner's file. @return false if another process took it for an abandoned one before it was locked */
  private boolean isMine() throws IOException {
    FileChannel channel;
    try {
      channel = open(owner, StandardOpenOption.CREATE_NEW);
    } catch (FileAlreadyExistsException e) {
      return false;
    }
    if (channel.tryLock() != null && Files.exists(owner)) {
      lock = channel;
      return true;
    }
    channel.close();
    return false;
  }

  /** @param own beginning of owners' names of this process, which would lose its lock if it opened and closed one of them: fcntl(2) */
  private void removeAbandoned(String own) {
    try (DirectoryStream<Path> owners = Files.newDirectoryStream(folder.path(), OWNER + '*')) {
      for (Path other : owners) {
        if (!other.getFileName().toString().startsWith(own)) {
          removeIfAbandoned(other);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // They are in nobody's way; the next process looks again.
    }
  }

  private void removeIfAbandoned(Path other) {
    try (FileChannel channel = open(other, LinkOption.NOFOLLOW_LINKS)) {
      if (channel.tryLock() == null) {
        return;
      }
      String files = FILE + other.getFileName().toString().substring(OWNER.length()) + "-*";
      try (DirectoryStream<Path> abandoned = Files.newDirectoryStream(folder.path(), files)) {
        for (Path file : abandoned) {
          Files.deleteIfExists(file);
        }
      }
      Files.deleteIfExists(other);
    } catch (IOException | DirectoryIteratorException | OverlappingFileLockException e) {
      // Another process is at it, or cannot be asked.
    }
  }

  private void removeAll() {
    names.forEach(this::remove);
    try {
      Files.deleteIfExists(owner);
    } catch (IOException e) {
      // The next process removes it.
    }
  }
}
