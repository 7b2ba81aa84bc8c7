package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.impl.process.HeldFile;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Random secret of a user in the file {@code secret} of each runtime folder. A process that uses a file has a shared lock on it until it
 * ends. A file without a lock gets a new secret. All files get the smallest secret that is in use, because some processes see only one of
 * the folders. This process keeps each file open, because closing it would release the lock, fcntl_locking(2). Thread-safe. Methods may
 * block.
 */
final class UserSecret {
  private static final Logger LOG = LoggerFactory.getLogger(UserSecret.class);
  /** Open secrets by file. Guards itself and their fields. */
  private static final Map<Path, UserSecret> OPEN = new HashMap<>();
  /** Secret that {@link #random} returns. */
  private static final Pattern MADE = Pattern.compile("[0-9a-f]{" + 2 * SecretKeys.KEY_BYTES + '}');
  private static final long LOCK_MILLIS = 5_000;
  private static final String REMEDY = "If a cleaner of temporary files such as systemd-tmpfiles removed it, name a folder that is "
    + "not cleaned with " + RuntimeFolder.VARIABLE + ".";

  private final Path file;
  private FileChannel channel;
  /** Device and inode of the open file. */
  private Object key;
  /** Content of the file; null before this process uses it. */
  private byte[] secret;
  /** Earlier contents of the file, which processes prove until they read it again. At most two, since a read may replace two. */
  private List<byte[]> former = List.of();
  /** Cause if the last {@link #read} could not use the file; otherwise null. */
  private Exception failure;
  private boolean reported;

  private UserSecret(Path file) {
    this.file = file;
  }

  static List<Path> files(List<Path> folders) {
    return folders.stream().map(folder -> folder.toAbsolutePath().resolve("secret")).toList();
  }

  /**
   * Accepted secrets, first the one to prove.
   *
   * @param ofAll false if a file cannot be used now
   */
  record Accepted(List<byte[]> secrets, boolean ofAll) {
  }

  /**
   * Returns the accepted secrets. Creates or restores the files of these folders, and reads those of others.
   *
   * @throws IOException if no file can be used
   */
  static Accepted read(List<Path> folders) throws IOException {
    synchronized (OPEN) {
      // A folder of a session is removed at its end. A later session gets the secret then, as another process does.
      OPEN.values().removeIf(UserSecret::closeIfFolderIsGone);
      List<UserSecret> all = files(folders).stream().map(file -> OPEN.computeIfAbsent(file, UserSecret::new)).toList();
      byte[] common = all.getFirst().secret;
      // Counts, since all files are checked, also those after one that has changed.
      if (all.stream().filter(each -> each.isCurrent(common)).count() < all.size()) {
        update(all);
      }
      if (all.stream().allMatch(each -> each.failure != null)) {
        all.getFirst().fail();
      }
      all.forEach(UserSecret::report);
      List<byte[]> accepted = new ArrayList<>();
      Stream.concat(all.stream().map(each -> each.secret).filter(Objects::nonNull).sorted(Arrays::compareUnsigned),
        all.stream().flatMap(each -> each.former.stream())).filter(
          secret -> accepted.stream().noneMatch(known -> Arrays.equals(known, secret)))
        .forEach(accepted::add);
      return new Accepted(accepted, all.stream().allMatch(each -> each.failure == null));
    }
  }

  private boolean closeIfFolderIsGone() {
    boolean isGone = Files.notExists(file.getParent());
    if (isGone) {
      close(channel);
    }
    return isGone;
  }

  private static void close(FileChannel closed) {
    try {
      if (closed != null) {
        closed.close();
      }
    } catch (IOException e) {
      // All its content was read or written.
    }
  }

  /** Checks owner and mode of the file. Returns whether it is unchanged since the last read, and has the common secret. */
  private boolean isCurrent(byte[] common) {
    boolean[] isCurrent = {false};
    failure = null;
    attempt(() -> {
      boolean exists = Files.exists(file, LinkOption.NOFOLLOW_LINKS);
      if (exists) {
        RuntimeFolder.check(file);
      }
      isCurrent[0] = exists && secret != null && Arrays.equals(secret, common) && Objects.equals(key, HeldFile.key(file));
    });
    return isCurrent[0];
  }

  private static void update(List<UserSecret> all) throws IOException {
    List<FileChannel> locks = new ArrayList<>();
    try {
      // All folders stay locked, so that no process begins to use a file meanwhile.
      all.forEach(each -> each.attempt(() -> locks.add(lock(each.file.getParent()))));
      all.forEach(each -> each.attempt(each::open));
      byte[] common = all.stream().map(each -> each.secret).filter(Objects::nonNull).min(Arrays::compareUnsigned)
        .orElseGet(UserSecret::random);
      all.forEach(each -> each.attempt(() -> each.write(common)));
    } finally {
      for (FileChannel each : locks) {
        each.close();
      }
    }
  }

  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }

  /** Runs a step unless an earlier one has failed. */
  private void attempt(Step step) {
    try {
      if (failure == null) {
        step.run();
      }
    } catch (IOException | RuntimeException e) {
      failure = e;
    }
  }

  private void fail() throws IOException {
    if (failure instanceof IOException cause) {
      throw cause;
    }
    throw (RuntimeException) failure;
  }

  private void report() {
    if (failure != null && !reported) {
      LOG.warn("The cluster secret " + file + " cannot be used, so processes that see only that runtime folder may not connect: "
        + RuntimeFolder.words(failure));
    }
    reported = failure != null;
  }

  /** Locks a folder against others, until the returned channel is closed. Guarded by {@link #OPEN}. */
  private static FileChannel lock(Path folder) throws IOException {
    FileChannel locked = FileChannel.open(folder.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      long start = System.nanoTime();
      while (!isLocked(locked)) {
        if (System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(LOCK_MILLIS)) {
          throw new IOException("cannot lock " + folder + ": another process has locked it for " + LOCK_MILLIS
            + " ms. Look for a process that is stopped, and continue or end it.");
        }
        LockSupport.parkNanos(1_000_000);
      }
      return locked;
    } catch (IOException | RuntimeException e) {
      locked.close();
      throw e;
    }
  }

  private static boolean isLocked(FileChannel folder) throws IOException {
    try {
      return folder.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      // Another copy of this class has locked it.
      return false;
    }
  }

  private static byte[] random() {
    byte[] random = new byte[SecretKeys.KEY_BYTES];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random).getBytes(StandardCharsets.US_ASCII);
  }

  /** Reads the file if a process uses it. Restores it if this process does. */
  private void open() throws IOException {
    byte[] known = secret;
    boolean removed = Files.notExists(file, LinkOption.NOFOLLOW_LINKS);
    if (removed && known == null) {
      return;
    }
    if (removed) {
      RuntimeFolder.write(file, known);
    }
    reopen();
    if (known == null && isFree()) {
      return;
    }
    use();
    if (removed) {
      LOG.warn("The cluster secret " + file + " was removed while nodes use it. " + REMEDY);
    } else if (known != null && (secret == null || Arrays.compareUnsigned(secret, known) > 0)) {
      LOG.warn("The cluster secret " + file + " was replaced by another process; both are accepted. " + REMEDY);
    } else if (known != null && !Arrays.equals(secret, known)) {
      // The other process may have found the smaller secret in its other folder.
      LOG.info("The cluster secret " + file + " was replaced by another process; both are accepted.");
    }
  }

  private void write(byte[] common) throws IOException {
    if (!Arrays.equals(secret, common)) {
      RuntimeFolder.write(file, common);
      reopen();
      use();
    }
  }

  /** Opens the file if another one may have replaced it. Some file systems have no keys. */
  private void reopen() throws IOException {
    // Another user may have taken the folder since the last check.
    RuntimeFolder.check(file);
    Object now = HeldFile.key(file);
    if (channel == null || now == null || !now.equals(key)) {
      FileChannel before = channel;
      channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
      key = now;
      close(before);
    }
  }

  /** Returns whether no process has locked the file. */
  private boolean isFree() throws IOException {
    if (!HeldFile.seesLocks(file)) {
      return false;
    }
    try (FileLock lock = channel.tryLock()) {
      return lock != null;
    } catch (OverlappingFileLockException e) {
      // This process uses the file under another path, or by another copy of this class.
      return false;
    }
  }

  private void use() throws IOException {
    byte[] found = Channels.newInputStream(channel.position(0)).readNBytes(4 * SecretKeys.KEY_BYTES);
    try {
      channel.tryLock(0, Long.MAX_VALUE, true);
    } catch (OverlappingFileLockException e) {
      // This process has locked the file.
    } catch (IOException e) {
      LOG.debug(file + " cannot be locked: " + e.getMessage());
    }
    if (secret != null && !Arrays.equals(secret, found)) {
      former = Stream.concat(Stream.of(secret), former.stream()).limit(2).toList();
    }
    // Another one, which someone may have written who chose a weak one, is replaced.
    secret = MADE.matcher(new String(found, StandardCharsets.ISO_8859_1)).matches() ? found : null;
  }
}
