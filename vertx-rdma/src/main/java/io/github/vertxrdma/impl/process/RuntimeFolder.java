package io.github.vertxrdma.impl.process;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.FileErrors;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.SystemError;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Folders of a user on a host: of {@value #PROPERTY}, or of {@link DiscoveryOptions#runtimeFolders}. Mode 0700. All methods may block.
 *
 * <p>Processes find each other although some see only one of two folders: each listens, and reads, in all folders that it can use.
 */
public final class RuntimeFolder {
  private static final Logger LOG = LoggerFactory.getLogger(RuntimeFolder.class);
  /** System property, and environment variable {@code VERTX_RDMA_RUNTIME}: the folder in which processes of one host find each other. */
  public static final String PROPERTY = "vertx.rdma.runtime";
  public static final String VARIABLE = "VERTX_RDMA_RUNTIME";
  private static final String PART = ".part-";
  private static final int ZEROS = 64 << 10;
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  /** Age from which an unfinished file counts as abandoned if its lock is not visible. */
  private static final long ABANDONED_MILLIS = Duration.ofHours(1).toMillis();
  /** Age by which the writer of an unfinished file has locked it. */
  private static final long LOCKED_MILLIS = Duration.ofSeconds(10).toMillis();
  /** Time within which the folder of a session is mounted after it was made. */
  private static final long MOUNTED_MILLIS = Duration.ofMinutes(1).toMillis();
  private static final Set<Path> CLEANED = ConcurrentHashMap.newKeySet();
  /** Folders that a message has named as those that this process uses alone. */
  private static final Set<Path> SKIPPED = ConcurrentHashMap.newKeySet();
  private static final Set<PosixFilePermission> MODE_0700 = PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> MODE_0600 = PosixFilePermissions.fromString("rw-------");

  public static final String PERMIT_SOCKETS = "Permit sockets of AF_UNIX (RestrictAddressFamilies= of a systemd unit)";

  private RuntimeFolder() {
  }

  /** Returns the first folder that can be written, otherwise the first. */
  public static Path user() throws IOException {
    List<Path> all = all();
    return all.stream().filter(Files::isWritable).findFirst().orElse(all.getFirst());
  }

  /** Creates the folders that this user can use, one or two, and returns them. @throws IOException if there is none */
  public static List<Path> all() throws IOException {
    return all(paths());
  }

  static List<Path> all(List<Path> paths) throws IOException {
    List<Path> usable = new ArrayList<>();
    IOException failure = null;
    for (Path each : paths) {
      try {
        Path folder = ensure(each);
        if (usable.isEmpty() || !Files.isSameFile(folder, usable.getFirst())) {
          usable.add(folder);
        }
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (usable.isEmpty()) {
      throw failure;
    }
    if (failure != null && SKIPPED.add(usable.getFirst())) {
      LOG.warn("This process uses only the runtime folder " + usable.getFirst() + ", so processes that see only the other one do not find "
        + "it: " + words(failure));
    }
    return usable;
  }

  /** Returns the folders that processes of this user may use. Each may be missing, or belong to another user. */
  public static List<Path> paths() {
    return distinct(new DiscoveryOptions().runtimeFolders(ProcessIdentity.current().uid()));
  }

  static List<Path> distinct(List<Path> paths) {
    try {
      return Files.isSameFile(paths.getFirst(), paths.getLast()) ? paths.subList(0, 1) : paths;
    } catch (IOException e) {
      // A folder is missing.
      return paths;
    }
  }

  /** Returns the folder whose removal or creation changes {@link #paths}, if it is used or not; otherwise empty. */
  public static Optional<Path> session(boolean isUsed) {
    return Optional.ofNullable(new DiscoveryOptions().sessionFolder(ProcessIdentity.current().uid(), isUsed));
  }

  /** Returns whether the folder of a session was just made. Its mount, after which it belongs to the user, is not reported. */
  public static boolean isBegun() {
    try {
      Optional<Path> made = session(false);
      return made.isPresent() && age(made.get()) < MOUNTED_MILLIS;
    } catch (IOException e) {
      // There is no session.
      return false;
    }
  }

  /** Returns the folders that exist and belong to this user alone. */
  public static List<Path> present() {
    return paths().stream().filter(RuntimeFolder::isOwn).toList();
  }

  public static boolean isOwn(Path folder) {
    try {
      check(folder);
      return Files.isDirectory(folder);
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns a folder for memory-mapped files, on tmpfs if possible, so that access to a mapping does not wait for a disk. */
  public static Path inMemory() throws IOException {
    Path user = user();
    if (isInMemory(user) || !isInMemory(SHARED_MEMORY)) {
      return user;
    }
    try {
      return ensure(SHARED_MEMORY.resolve("vertx-rdma-" + ProcessIdentity.current().uid()));
    } catch (IOException e) {
      // Another user owns a folder of that name.
      return user;
    }
  }

  private static boolean isInMemory(Path folder) {
    try {
      return Files.getFileStore(folder).type().equals("tmpfs");
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns device and inode of each folder, separated by blanks; empty if they are unknown. */
  public static String identity() {
    try {
      List<String> identities = new ArrayList<>();
      for (Path each : all()) {
        Map<String, Object> is = Files.readAttributes(each, "unix:dev,ino");
        identities.add(Long.toHexString((Long) is.get("dev")) + ':' + Long.toHexString((Long) is.get("ino")));
      }
      return String.join(" ", identities);
    } catch (IOException | RuntimeException e) {
      return "";
    }
  }

  /** Creates a folder with mode 0700, or checks it. The first call of a process removes unfinished files of killed processes. */
  public static Path ensure(Path folder) throws IOException {
    FileAttribute<?>[] mode = posix(folder) ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(MODE_0700)}
      : new FileAttribute<?>[0];
    try {
      if (folder.getParent() != null && !Files.exists(folder.getParent())) {
        Files.createDirectories(folder.getParent(), mode);
      }
      Files.createDirectory(folder, mode);
      if (posix(folder)) {
        // Undoes the effects of the umask and of the parent's set-group-id bit.
        Files.setPosixFilePermissions(folder, MODE_0700);
      }
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS) && !Files.isSymbolicLink(folder)) {
        throw new IOException("cannot use " + folder + ": it is not a folder. Remove it, or change " + VARIABLE
          + " or DirectoryOptions.setPath.");
      }
      check(folder);
    } catch (FileSystemException e) {
      throw new IOException("cannot create folder " + folder + ": " + FileErrors.words(e) + ". " + remedy(e) + '.', e);
    }
    if (!CLEANED.contains(folder)) {
      checkUmask(folder);
      if (CLEANED.add(folder)) {
        removeAbandoned(folder);
      }
    }
    return folder;
  }

  private static void checkUmask(Path folder) throws IOException {
    if (!deniesOwner()) {
      return;
    }
    Path probe = newPart(folder);
    // A privileged user may access the file despite the umask.
    boolean isUsable = Files.isReadable(probe) && Files.isWritable(probe);
    Files.delete(probe);
    if (!isUsable) {
      throw new IOException("cannot use folder " + folder + ": the umask of this process removes its user's own rights on the "
        + "files that it creates. Set another umask, such as 077 (umask, UMask= of a systemd unit).");
    }
  }

  private static Path newPart(Path folder) throws IOException {
    return Files.createTempFile(folder, PART + ProcessName.own().file(""), "");
  }

  /** Returns whether the umask has bits of the owner, proc_pid_status(5). */
  private static boolean deniesOwner() {
    try {
      return Files.readAllLines(Path.of("/proc/self/status")).stream().filter(line -> line.startsWith("Umask:"))
        .anyMatch(line -> (Integer.parseInt(line.substring("Umask:".length()).strip(), 8) & 0600) != 0);
    } catch (IOException | NumberFormatException e) {
      return false;
    }
  }

  private static void removeAbandoned(Path folder) {
    try (DirectoryStream<Path> parts = Files.newDirectoryStream(folder, PART + '*');
      DirectoryStream<Path> sockets = Files.newDirectoryStream(folder, LivenessSocket.PREFIX + '*')) {
      for (Path part : parts) {
        if (isAbandoned(part)) {
          Files.deleteIfExists(part);
        }
      }
      for (Path socket : sockets) {
        // The process of a younger socket file may not listen yet.
        if (age(socket) > LOCKED_MILLIS) {
          LivenessSocket.lives(socket);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // The next process tries again.
    }
  }

  private static boolean isAbandoned(Path part) throws IOException {
    try {
      long age = age(part);
      return !part.getFileName().toString().startsWith(PART + ProcessName.own().file(""))
        && age > LOCKED_MILLIS && switch (HeldFile.state(part)) {
          case HELD -> false;
          case FREE -> true;
          case UNKNOWN -> age > ABANDONED_MILLIS;
        };
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private static long age(Path file) throws IOException {
    return System.currentTimeMillis() - Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toMillis();
  }

  /** Writes a file as {@link #write} does. Returns the open file, which was locked before it got its name. */
  static FileChannel writeHeld(Path file, byte[] content) throws IOException {
    Path part = null;
    FileChannel channel = null;
    try {
      part = newPart(file.getParent());
      if (posix(part)) {
        Files.setPosixFilePermissions(part, MODE_0600);
      }
      channel = FileChannel.open(part, StandardOpenOption.READ, StandardOpenOption.WRITE);
      lock(channel);
      Channels.newOutputStream(channel).write(content);
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      part = null;
      return channel;
    } catch (IOException e) {
      throw named(file, e);
    } finally {
      if (part != null) {
        Files.deleteIfExists(part);
        if (channel != null) {
          channel.close();
        }
      }
    }
  }

  private static void lock(FileChannel channel) {
    try {
      channel.lock();
    } catch (IOException e) {
      // If the file cannot be locked, readers judge by its modification time.
    }
  }

  public static void write(Path file, byte[] content) throws IOException {
    writeHeld(file, content).close();
  }

  /** Returns the remedy for a failed file operation, without a full stop. */
  public static String remedy(Throwable cause) {
    return switch (SystemError.of(cause)) {
      case ENOSPC, EDQUOT -> "Make room there, or name a folder elsewhere with " + VARIABLE;
      case EFBIG -> "Raise the limit of files with 'ulimit -f unlimited' or LimitFSIZE=";
      case EMFILE -> "Raise the limit of open files with 'ulimit -n' or LimitNOFILE=";
      case ENFILE -> "Raise 'sysctl fs.file-max'";
      case EAFNOSUPPORT -> PERMIT_SOCKETS;
      default -> "Name a folder that this user may write with " + VARIABLE;
    };
  }

  /** Returns file, cause and remedy of a failed file operation; the message of other failures. */
  public static String words(Throwable cause) {
    return cause instanceof FileSystemException file ? file.getFile() + ": " + FileErrors.words(file) + ". " + remedy(file) + '.'
      : cause.getMessage();
  }

  public static boolean isLimit(Throwable cause) {
    return switch (SystemError.of(cause)) {
      case ENOSPC, EDQUOT, EFBIG, EMFILE, ENFILE -> true;
      default -> false;
    };
  }

  /** Returns the cause. Throws {@link RdmaException} {@code LIMIT} with file and remedy instead if a limit of the system caused it. */
  static IOException named(Path file, IOException cause) {
    if (!isLimit(cause)) {
      return cause;
    }
    throw new RdmaException(Reason.LIMIT, "cannot write " + file + ": " + FileErrors.words(cause) + ". " + remedy(cause) + '.', cause);
  }

  /** Reserves disk space by writing zeros, since a later write could fail. */
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
      throw new IOException(path + " belongs to user " + uid + " with mode " + Integer.toOctalString(mode & 07777) + "; it must belong to "
        + "the user of this process and give no rights to others (chmod go= " + path + "), or name another folder with " + VARIABLE);
    }
  }

  private static boolean posix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("unix");
  }
}
