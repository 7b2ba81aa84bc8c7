package io.github.vertxrdma.impl.process;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.provider.SystemError;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Folder of a user on a host: {@code vertx-rdma-UID} in the temporary folder, or the one in {@value #PROPERTY} or {@value #VARIABLE}. Mode
 * 0700. Unlike {@code XDG_RUNTIME_DIR} it is independent of log-in sessions. All methods may block.
 */
public final class RuntimeFolder {
  public static final String PROPERTY = "vertx.rdma.runtime";
  public static final String VARIABLE = "VERTX_RDMA_RUNTIME";

  /** Prefix of files being written, before the name of the writer. */
  private static final String PART = ".part-";
  private static final int ZEROS = 64 << 10;
  /** Longer than any write, also of a stopped process. */
  private static final long ABANDONED_MILLIS = Duration.ofHours(1).toMillis();
  private static final Set<Path> CLEANED = ConcurrentHashMap.newKeySet();
  private static final Set<PosixFilePermission> MODE_0700 = PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> MODE_0600 = PosixFilePermissions.fromString("rw-------");

  private RuntimeFolder() {
  }

  /** Creates the folder if necessary. */
  public static Path user() throws IOException {
    return ensure(path());
  }

  public static Path path() {
    String name = System.getProperty(PROPERTY, System.getenv(VARIABLE));
    return name != null ? Path.of(name)
      : Path.of(System.getProperty("java.io.tmpdir"), "vertx-rdma-" + ProcessIdentity.current().uid());
  }

  /**
   * Creates or checks a folder. The first call of a process removes unfinished files of killed processes.
   *
   * @throws IOException if it belongs to another user, is open to others or a symbolic link
   */
  public static Path ensure(Path folder) throws IOException {
    if (folder.getParent() != null) {
      Files.createDirectories(folder.getParent());
    }
    try {
      if (posix(folder)) {
        Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(MODE_0700));
        // The umask or a set-group-id bit may have changed the mode.
        Files.setPosixFilePermissions(folder, MODE_0700);
      } else {
        Files.createDirectory(folder);
      }
    } catch (FileAlreadyExistsException e) {
      check(folder);
    }
    if (CLEANED.add(folder)) {
      removeAbandoned(folder);
    }
    return folder;
  }

  private static void removeAbandoned(Path folder) {
    try (DirectoryStream<Path> parts = Files.newDirectoryStream(folder, PART + '*')) {
      for (Path part : parts) {
        if (isAbandoned(part)) {
          Files.deleteIfExists(part);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // The next process tries again.
    }
  }

  /** Returns whether the writer has ended. The age decides for writers in other PID namespaces. */
  private static boolean isAbandoned(Path part) throws IOException {
    Optional<ProcessName> writer = ProcessName.of(part.getFileName().toString().substring(PART.length()));
    if (writer.isPresent() && writer.get().isNear()) {
      return !writer.get().isAlive();
    }
    try {
      return System.currentTimeMillis() - Files.getLastModifiedTime(part, LinkOption.NOFOLLOW_LINKS).toMillis() > ABANDONED_MILLIS;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private interface Naming {
    void name(Path part) throws IOException;
  }

  private static void write(Path file, byte[] content, Naming naming) throws IOException {
    Path part = null;
    try {
      part = Files.createTempFile(file.getParent(), PART + ProcessName.own().file(""), "");
      if (posix(part)) {
        Files.setPosixFilePermissions(part, MODE_0600);
      }
      Files.write(part, content);
      naming.name(part);
    } catch (IOException e) {
      throw named(file, e);
    } finally {
      if (part != null) {
        Files.deleteIfExists(part);
      }
    }
  }

  /** Writes a file with mode 0600 atomically. */
  public static void write(Path file, byte[] content) throws IOException {
    write(file, content, part -> Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING));
  }

  /**
   * Appends to a file with one writer. Readers may see a part during the write.
   *
   * @param size of the file before
   * @return false if there is no file of that size
   */
  public static boolean append(Path file, long size, byte[] content) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      if (channel.size() != size) {
        return false;
      }
      ByteBuffer bytes = ByteBuffer.wrap(content);
      try {
        while (bytes.hasRemaining()) {
          channel.write(bytes, size + bytes.position());
        }
        return true;
      } catch (IOException e) {
        channel.truncate(size);
        throw named(file, e);
      }
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /** Adds file and remedy to a failed write, with {@code LIMIT}, if the disk is full or the file too long. */
  static IOException named(Path file, IOException cause) {
    String remedy = switch (SystemError.of(cause)) {
      case ENOSPC, EDQUOT -> "make room there, or name a folder elsewhere with " + VARIABLE;
      case EFBIG -> "raise the limit of files with 'ulimit -f unlimited' or LimitFSIZE=";
      default -> null;
    };
    if (remedy == null) {
      return cause;
    }
    throw new RdmaException(Reason.LIMIT, file + " could not be written: " + cause.getMessage() + "; " + remedy, cause);
  }

  /** Reserves disk space for a mapped file. Otherwise a later access to the mapping could fail. */
  public static void reserve(Path file, FileChannel channel, long from, long to) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocate((int) Math.min(to - from, ZEROS));
    try {
      for (long at = from; at < to;) {
        at += channel.write(zeros.clear().limit((int) Math.min(to - at, ZEROS)), at);
      }
    } catch (IOException e) {
      throw named(file, e);
    }
  }

  /** @return false if the file exists */
  public static boolean writeNew(Path file, byte[] content) throws IOException {
    try {
      write(file, content, part -> Files.createLink(file, part));
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  /** @throws IOException unless the path belongs to this user and is closed to others */
  public static void check(Path path) throws IOException {
    if (!posix(path)) {
      return;
    }
    Map<String, Object> is = Files.readAttributes(path, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
    int mode = (Integer) is.get("mode");
    long uid = ((Number) is.get("uid")).longValue();
    if ((mode & 0170000) == 0120000) {
      throw new IOException(path + " is a symbolic link; remove it, or name a folder of your own with VERTX_RDMA_RUNTIME");
    }
    if (uid != ProcessIdentity.current().uid() || (mode & 077) != 0) {
      throw new IOException(path + " belongs to user " + uid + " with mode " + Integer.toOctalString(mode & 07777)
        + "; it must be this user's with no rights for others (chmod go= " + path + "), or name another folder with VERTX_RDMA_RUNTIME");
    }
  }

  private static boolean posix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("unix");
  }
}
