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
 * The folder where processes of one user on one host meet: {@code vertx-rdma-UID} in the temporary folder, of mode 0700, unless the system
 * property {@value #PROPERTY} or the environment variable {@value #VARIABLE} names another. It does not depend on the log-in
 * session, as {@code XDG_RUNTIME_DIR} does, so that a service and a shell of one user find the same. All of it may block.
 */
public final class RuntimeFolder {
  /** System property that names another folder. */
  public static final String PROPERTY = "vertx.rdma.runtime";
  /** Environment variable that names another folder. */
  public static final String VARIABLE = "VERTX_RDMA_RUNTIME";

  /** Beginning of the names of files that are being written; the process that writes follows. */
  private static final String PART = ".part-";
  private static final int ZEROS = 64 << 10;
  /** Longer than any write takes, also of a process that is stopped meanwhile. */
  private static final long ABANDONED_MILLIS = Duration.ofHours(1).toMillis();
  /** Folders that this process has cleaned, or is cleaning. */
  private static final Set<Path> CLEANED = ConcurrentHashMap.newKeySet();
  private static final Set<PosixFilePermission> MODE_0700 = PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> MODE_0600 = PosixFilePermissions.fromString("rw-------");

  private RuntimeFolder() {
  }

  /** Returns the user's own folder, which is made if it does not exist. */
  public static Path user() throws IOException {
    return ensure(path());
  }

  /** Returns where the user's own folder is, or will be. */
  public static Path path() {
    String name = System.getProperty(PROPERTY, System.getenv(VARIABLE));
    return name != null ? Path.of(name)
      : Path.of(System.getProperty("java.io.tmpdir"), "vertx-rdma-" + ProcessIdentity.current().uid());
  }

  /**
   * Makes the folder and those above it, or checks that what is there belongs to this user alone. The first call of a process removes what
   * processes that were killed had begun to write there.
   *
   * @throws IOException if it is somebody else's, open to others, or a symbolic link
   */
  public static Path ensure(Path folder) throws IOException {
    if (folder.getParent() != null) {
      Files.createDirectories(folder.getParent());
    }
    try {
      if (posix(folder)) {
        Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(MODE_0700));
        // The umask may have taken rights away, and a set-group-id bit above may have added some.
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
      // They are in nobody's way; the next process looks again.
    }
  }

  /**
   * Whether nobody will go on writing it. The writer of another PID namespace, of a container beside, cannot be asked about: its age tells.
   */
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

  /** Gives a file that was written its name. */
  private interface Naming {
    void name(Path part) throws IOException;
  }

  /** Writes a file of mode 0600 under another name, and has it named. */
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

  /** Writes a file of mode 0600 so that readers see all of it or nothing. */
  public static void write(Path file, byte[] content) throws IOException {
    write(file, content, part -> Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING));
  }

  /**
   * Writes at the end of a file that this process alone writes. Readers may see a part of it meanwhile, and see nothing of it if it fails.
   *
   * @param size bytes that the file has
   * @return false if it is not there with that size
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

  /**
   * The failure of a write; where the disk is full, or the file too long, it says which file it was, and what to do, with {@code LIMIT}.
   */
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

  /** Takes room on disk for the first bytes of a file that is mapped: where there is none, an access to the mapping would fail later. */
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

  /** @return whether it was written; false if the file was there already, whatever is in it */
  public static boolean writeNew(Path file, byte[] content) throws IOException {
    try {
      write(file, content, part -> Files.createLink(file, part));
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  /** @throws IOException unless the file or folder is this user's and closed to others */
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
