package io.github.vertxrdma.impl.process;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.base.VersionRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32;

/**
 * Statistics of a node in a file for external tools: {@code stat/PIDNS-PID-PROCESS-NUMBER.stat} in the {@link RuntimeFolder}, which the
 * process locks ({@link HeldFile}). One process writes; processes of the same PID namespace read. The file is written by system calls. It
 * is not mapped, because a write to a mapping stops the whole JVM while the disk does not respond.
 *
 * <pre>
 *  0  magic     6 bytes   "VRDMST"
 *  6  versions  2 bytes   of this format: highest of the writer, lowest that can read the file
 *  8  length    4 bytes   of the text
 * 12  checksum  4 bytes   CRC-32 of the text
 * 16  text                {@link io.github.vertxrdma.statistics.NodeStatistics#toJson}, UTF-8
 * </pre>
 */
public final class PublishedStatistics implements AutoCloseable {
  private static final long MAGIC = 0x5652_444d_5354_0000L;
  private static final long MAGIC_BITS = ~0xffffL;
  private static final VersionRange VERSIONS = new VersionRange(3, 3);
  private static final AtomicInteger NUMBERS = new AtomicInteger();
  private static final int SIZE = 1 << 20;
  private static final int HEADER = 16;
  public static final int MOST = SIZE - HEADER;
  private static final String FOLDER = "stat";
  private static final String SUFFIX = ".stat";
  private static final Comparator<Path> IN_ORDER = Comparator.<Path>comparingInt(file -> file.getFileName().toString().length())
    .thenComparing(Path::getFileName);
  /** Age from which a file counts as dead if its lock is not visible: longer than the time between two writes. */
  private static final long UNCHANGED_MILLIS = 40_000;
  /** Bytes by which the file grows. Small, to save disk space. */
  private static final long GROWTH = 16 << 10;
  private static final int ATTEMPTS = 100;
  private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Path path;
  private final HeldFile file;
  private long reserved = HEADER;

  private PublishedStatistics(Path path) throws IOException {
    this.path = path;
    this.file = HeldFile.create(path, new byte[HEADER]);
  }

  private static Path folder() throws IOException {
    return RuntimeFolder.ensure(RuntimeFolder.user().resolve(FOLDER));
  }

  public static PublishedStatistics create() throws IOException {
    removeDead();
    return new PublishedStatistics(folder().resolve(ProcessName.own().file(NUMBERS.incrementAndGet() + SUFFIX)));
  }

  /** Replaces the text, and restores a removed file. One thread. @throws RdmaException if the text is too long, or the disk is full */
  public void write(String words) throws IOException {
    byte[] text = words.getBytes(StandardCharsets.UTF_8);
    if (text.length > MOST) {
      throw new RdmaException(RdmaException.Reason.LIMIT, "its statistics have " + text.length + " bytes, and their file "
        + path + " has room for only " + MOST + ". Call Rdma.statistics to get all of them");
    }
    if (file.restore(new byte[HEADER])) {
      reserved = HEADER;
    }
    long needed = HEADER + text.length;
    if (needed > reserved) {
      long more = Math.min(SIZE, needed + GROWTH & -GROWTH);
      RuntimeFolder.reserve(path, file.channel(), reserved, more);
      reserved = more;
    }
    ByteBuffer bytes = ByteBuffer.allocate(HEADER + text.length).putLong(MAGIC | VERSIONS.word()).putInt(text.length)
      .putInt(checksum(text)).put(text).flip();
    while (bytes.hasRemaining()) {
      file.channel().write(bytes, bytes.position());
    }
  }

  public Path path() {
    return path;
  }

  public boolean isThere() throws IOException {
    return file.isThere();
  }

  public boolean isLockSeen() {
    return HeldFile.seesLocks(path);
  }

  private static int checksum(byte[] text) {
    CRC32 sum = new CRC32();
    sum.update(text);
    return (int) sum.getValue();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  /** Returns the texts of a process's nodes in order of creation. @throws IOException also if the file has an incompatible version */
  public static List<String> read(long pid) throws IOException {
    List<String> texts = new ArrayList<>();
    for (Map.Entry<Path, ProcessName> each : files().entrySet()) {
      if (isReadable(each) && each.getValue().pid() == pid) {
        read(each.getKey()).ifPresent(texts::add);
      }
    }
    return texts;
  }

  /** Returns the processes of this user and PID namespace that have nodes. Removes files of dead ones. */
  public static List<Long> processes() throws IOException {
    removeDead();
    return files().entrySet().stream().filter(PublishedStatistics::isReadable).map(each -> each.getValue().pid()).distinct().toList();
  }

  /** Returns false after the end of the session to which the file's folder belonged. */
  public boolean isInUsedFolder() {
    return RuntimeFolder.paths().contains(path.getParent().getParent());
  }

  /** Excludes processes of other PID namespaces, whose ids may equal ids of this one, and dead processes. */
  private static boolean isReadable(Map.Entry<Path, ProcessName> each) {
    return each.getValue().isNear() && switch (HeldFile.state(each.getKey())) {
      case HELD -> true;
      case FREE -> false;
      case UNKNOWN -> System.currentTimeMillis() - each.getKey().toFile().lastModified() < UNCHANGED_MILLIS;
    };
  }

  private static void removeDead() throws IOException {
    for (Path each : files().keySet()) {
      try {
        if (HeldFile.state(each) == HeldFile.State.FREE) {
          Files.deleteIfExists(each);
        }
      } catch (IOException e) {
        // Remains in a folder that cannot be written.
      }
    }
  }

  private static SortedMap<Path, ProcessName> files() throws IOException {
    SortedMap<Path, ProcessName> all = new TreeMap<>(IN_ORDER);
    folder();
    for (Path folder : RuntimeFolder.present().stream().map(each -> each.resolve(FOLDER)).filter(RuntimeFolder::isOwn).toList()) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, '*' + SUFFIX)) {
        files.forEach(each -> ProcessName.of(each.getFileName().toString()).ifPresent(writer -> all.put(each, writer)));
      }
    }
    return all;
  }

  private static Optional<String> read(Path path) throws IOException {
    HeldFile own = HeldFile.own(path);
    // Closing a second channel of an own file would release its lock.
    try (FileChannel opened = own == null ? FileChannel.open(path, StandardOpenOption.READ) : null) {
      FileChannel channel = own == null ? opened : own.channel();
      return channel == null ? Optional.empty() : read(path, channel);
    } catch (NoSuchFileException | ClosedChannelException e) {
      // The node was closed meanwhile.
      return Optional.empty();
    }
  }

  /** Reads the text. Retries while the text does not match its checksum, because the writer is replacing it. */
  private static Optional<String> read(Path path, FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(SIZE);
    for (int i = 0; i < ATTEMPTS; i++) {
      bytes.clear();
      while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) > 0) {
        // The condition reads until the end of the file.
      }
      bytes.flip();
      long magic = bytes.remaining() < HEADER ? 0 : bytes.getLong();
      if ((magic & MAGIC_BITS) != MAGIC) {
        return Optional.empty();
      }
      VersionRange writer = VersionRange.of(magic);
      if (VERSIONS.common(writer) == 0) {
        throw new IOException("cannot read " + path + ": " + VERSIONS.refusal("its process", "files of statistics", writer));
      }
      int length = bytes.getInt();
      int sum = bytes.getInt();
      if (length >= 0 && length <= bytes.remaining()) {
        byte[] text = new byte[length];
        bytes.get(text);
        if (checksum(text) == sum) {
          return Optional.of(new String(text, StandardCharsets.UTF_8));
        }
      }
      LockSupport.parkNanos(WAIT_NANOS);
    }
    return Optional.empty();
  }
}
