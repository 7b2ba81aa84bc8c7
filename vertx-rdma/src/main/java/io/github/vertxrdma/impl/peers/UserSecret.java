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
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Random secret of a user in the file {@code secret} of the runtime folder. A process that uses it has a shared lock on the file until it
 * ends; one that finds no lock writes a new secret. Nothing else in this process opens the file, because closing it would release the
 * lock, fcntl_locking(2). Thread-safe. Methods may block.
 */
final class UserSecret {
  private static final Logger LOG = LoggerFactory.getLogger(UserSecret.class);
  /** Open secrets by file. Guards itself and their fields. */
  private static final Map<Path, UserSecret> OPEN = new HashMap<>();
  private static final long LOCK_MILLIS = 5_000;
  private static final String REMEDY = "If a cleaner of temporary files such as systemd-tmpfiles removed it, name a folder that is "
    + "not cleaned with " + RuntimeFolder.VARIABLE + ".";

  final Path file;
  private FileChannel channel;
  private Object key;
  private byte[] secret;

  private UserSecret(Path file) {
    this.file = file;
  }

  static UserSecret open() throws IOException {
    Path file = RuntimeFolder.user().toAbsolutePath().resolve("secret");
    synchronized (OPEN) {
      UserSecret known = OPEN.getOrDefault(file, new UserSecret(file));
      known.read();
      OPEN.put(file, known);
      RuntimeFolder.check(file);
      return known;
    }
  }

  /** Locks a folder against other processes, until the returned channel is closed. Guarded by {@link #OPEN}. */
  private static FileChannel lock(Path folder) throws IOException {
    FileChannel locked = FileChannel.open(folder.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      long start = System.nanoTime();
      while (locked.tryLock() == null) {
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

  private static byte[] random() {
    byte[] random = new byte[SecretKeys.KEY_BYTES];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random).getBytes(StandardCharsets.US_ASCII);
  }

  private void renewIfUnused(FileChannel opened) throws IOException {
    if (!HeldFile.seesLocks(file)) {
      return;
    }
    try (FileLock unused = opened.tryLock()) {
      if (unused != null) {
        byte[] text = random();
        Channels.newOutputStream(opened.position(0)).write(text);
        opened.truncate(text.length);
      }
    } catch (OverlappingFileLockException e) {
      // This process uses the file under another path.
    }
  }

  private void use(FileChannel opened) throws IOException {
    byte[] found = Channels.newInputStream(opened.position(0)).readNBytes(4 * SecretKeys.KEY_BYTES);
    try {
      opened.tryLock(0, Long.MAX_VALUE, true);
    } catch (OverlappingFileLockException e) {
      // This process uses the file under another path.
    } catch (IOException e) {
      LOG.debug(file + " cannot be locked: " + e.getMessage());
    }
    key = HeldFile.key(file);
    secret = found;
    channel = opened;
  }

  /** Returns the secret. Creates or restores the file, or reads the file of another process. */
  byte[] read() throws IOException {
    synchronized (OPEN) {
      if (key == null || !key.equals(HeldFile.key(file))) {
        reopen();
      }
      return secret.clone();
    }
  }

  private void reopen() throws IOException {
    RuntimeFolder.ensure(file.getParent());
    try (FileChannel lock = lock(file.getParent())) {
      boolean removed = HeldFile.key(file) == null;
      if (removed) {
        RuntimeFolder.write(file, secret == null ? random() : secret);
      }
      RuntimeFolder.check(file);
      FileChannel before = channel;
      FileChannel opened = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
      byte[] known = secret;
      try {
        if (before == null) {
          renewIfUnused(opened);
        }
        use(opened);
      } catch (IOException | RuntimeException e) {
        opened.close();
        throw e;
      }
      if (before != null) {
        before.close();
        boolean isOther = !Arrays.equals(known, secret);
        if (removed || isOther) {
          LOG.warn("The cluster secret " + file + " was removed while nodes use it. " + (isOther
            ? "Another process has created a new one, which this process now uses; it accepts both. " : "It is restored. ") + REMEDY);
        }
      }
    }
  }
}
