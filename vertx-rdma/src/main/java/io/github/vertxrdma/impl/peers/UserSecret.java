package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.impl.process.HeldFile;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
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

  private final Path file;
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
      known.restore();
      OPEN.put(file, known);
      RuntimeFolder.check(file);
      return known;
    }
  }

  Path file() {
    return file;
  }

  byte[] secret() {
    synchronized (OPEN) {
      return secret.clone();
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
    byte[] random = new byte[RootKey.KEY_BYTES];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random).getBytes(StandardCharsets.US_ASCII);
  }

  private void renewIfUnused(FileChannel opened) throws IOException {
    if (!HeldFile.seesLocks(file)) {
      return;
    }
    try (FileLock unused = opened.tryLock()) {
      if (unused != null) {
        ByteBuffer text = ByteBuffer.wrap(random());
        while (text.hasRemaining()) {
          opened.write(text, text.position());
        }
        opened.truncate(text.limit());
      }
    } catch (OverlappingFileLockException e) {
      // This process uses the file under another path.
    }
  }

  private static byte[] content(FileChannel opened) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(4 * RootKey.KEY_BYTES);
    while (bytes.hasRemaining() && opened.read(bytes, bytes.position()) > 0) {
      // Reads until the end.
    }
    return Arrays.copyOf(bytes.array(), bytes.position());
  }

  private void use(FileChannel opened, byte[] found) throws IOException {
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

  /** Creates or restores the file, or reads the file of another process. */
  void restore() throws IOException {
    synchronized (OPEN) {
      if (key == null || !key.equals(HeldFile.key(file))) {
        reopen();
      }
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
        use(opened, content(opened));
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
