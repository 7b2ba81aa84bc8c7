package io.github.vertxrdma.impl.process;

import io.github.vertxrdma.RdmaException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
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
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Statistics of a node in a mapped file for external tools: {@code stat/PIDNS-PID-START-NUMBER} in the {@link RuntimeFolder}, mode 0600.
 * One process writes; processes of the same PID namespace read.
 *
 * <pre>
 *  0  magic   8 bytes   "VRDMST01"
 *  8  text              {@link io.github.vertxrdma.statistics.NodeStatistics#toJson} as {@link PublishedText}
 * </pre>
 */
public final class StatisticsMap implements AutoCloseable {
  private static final long MAGIC = 0x5652444d53543031L;
  private static final AtomicInteger NUMBERS = new AtomicInteger();
  private static final int SIZE = 1 << 20;
  private static final int TEXT = 8;
  /** Maximum length of the text. */
  public static final int MOST = SIZE - TEXT - PublishedText.HEADER;
  private static final Comparator<Path> IN_ORDER = Comparator.<Path>comparingInt(file -> file.getFileName().toString().length())
    .thenComparing(Comparator.naturalOrder());
  /** Growth of the file, which bounds its use of disk. */
  private static final long GROWTH = 16 << 10;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

  private final Path path;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final PublishedText text;
  private long reserved = TEXT + PublishedText.HEADER;

  private StatisticsMap(Path path) throws IOException {
    this.path = path;
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      memory = file.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, arena);
      text = new PublishedText(memory.asSlice(TEXT));
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  private static Path folder() throws IOException {
    return RuntimeFolder.ensure(RuntimeFolder.user().resolve("stat"));
  }

  /** Creates the file of a node, and removes files of killed processes. Blocks. */
  public static StatisticsMap create() throws IOException {
    removeDead();
    Path path = folder().resolve(ProcessName.own().file(Integer.toString(NUMBERS.incrementAndGet())));
    RuntimeFolder.write(path, new byte[TEXT + PublishedText.HEADER]);
    try {
      StatisticsMap made = new StatisticsMap(path);
      made.memory.set(LONG, 0, MAGIC);
      return made;
    } catch (IOException | RuntimeException e) {
      // A retry creates another file.
      Files.deleteIfExists(path);
      throw e;
    }
  }

  /**
   * Replaces the text. One thread at a time.
   *
   * @throws RdmaException if it is longer than {@link #MOST} or the disk is full; readers keep the previous text
   */
  public void write(String words) throws IOException {
    byte[] bytes = words.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > MOST) {
      throw new RdmaException(RdmaException.Reason.LIMIT, "its statistics have " + bytes.length + " bytes, and their file " + path
        + " has room for " + MOST + "; Rdma.statistics returns all of them");
    }
    long needed = TEXT + PublishedText.HEADER + bytes.length;
    if (needed > reserved) {
      long more = Math.min(SIZE, needed + GROWTH & -GROWTH);
      try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
        RuntimeFolder.reserve(path, file, reserved, more);
      }
      reserved = more;
    }
    text.write(bytes);
  }

  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
      path.toFile().delete();
    }
  }

  /** Returns the texts of a process's nodes in order of creation. */
  public static List<String> read(long pid) throws IOException {
    List<String> texts = new ArrayList<>();
    for (Map.Entry<Path, ProcessName> file : files().entrySet()) {
      if (file.getValue().pid() == pid && file.getValue().isAlive()) {
        read(file.getKey()).ifPresent(texts::add);
      }
    }
    return texts;
  }

  /** Returns the processes of this user that have nodes. Removes files of dead ones. */
  public static List<Long> processes() throws IOException {
    removeDead();
    return files().values().stream().map(ProcessName::pid).distinct().toList();
  }

  private static void removeDead() throws IOException {
    for (Map.Entry<Path, ProcessName> file : files().entrySet()) {
      if (!file.getValue().isAlive()) {
        Files.deleteIfExists(file.getKey());
      }
    }
  }

  /** Returns files of this PID namespace. */
  private static SortedMap<Path, ProcessName> files() throws IOException {
    SortedMap<Path, ProcessName> near = new TreeMap<>(IN_ORDER);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder())) {
      files.forEach(file -> ProcessName.of(file.getFileName().toString()).filter(ProcessName::isNear)
        .ifPresent(writer -> near.put(file, writer)));
    }
    return near;
  }

  private static Optional<String> read(Path path) throws IOException {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ); Arena arena = Arena.ofConfined()) {
      if (file.size() < SIZE) {
        return Optional.empty();
      }
      MemorySegment memory = file.map(FileChannel.MapMode.READ_ONLY, 0, SIZE, arena);
      return memory.get(LONG, 0) != MAGIC ? Optional.empty()
        : Optional.ofNullable(new PublishedText(memory.asSlice(TEXT)).read()).map(bytes -> new String(bytes, StandardCharsets.UTF_8));
    } catch (NoSuchFileException e) {
      // The node was closed meanwhile.
      return Optional.empty();
    }
  }
}
