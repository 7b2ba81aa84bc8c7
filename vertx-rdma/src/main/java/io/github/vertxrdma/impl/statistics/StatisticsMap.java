package io.github.vertxrdma.impl.statistics;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.impl.process.ProcessName;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A node's statistics in a mapped file, for tools outside of the process: {@code stat/PIDNS-PID-START-NUMBER} in the
 * {@link RuntimeFolder}, of mode 0600. One process writes, any of the same PID namespace read.
 *
 * <pre>
 *  0  magic             8 bytes   "VRDMST01"
 *  8  version           4 bytes   even; odd while it is being written
 * 12  length            4 bytes   of the text
 * 16  text                        {@link io.github.vertxrdma.statistics.NodeStatistics#toJson}, UTF-8
 * </pre>
 *
 * In the machine's byte order.
 */
public final class StatisticsMap implements AutoCloseable {
  private static final long MAGIC = 0x5652444d53543031L;
  private static final AtomicInteger NUMBERS = new AtomicInteger();
  private static final int SIZE = 1 << 20;
  private static final int HEADER = 16;
  /** The file grows by so much, so that only what was written takes room on disk. */
  private static final long ROOM = 16 << 10;
  /** Readings of a file that is being written, after which its writer is taken to have died in the middle. */
  private static final int ATTEMPTS = 1000;
  private static final VarHandle VERSION = ValueLayout.JAVA_INT.varHandle();
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

  private final Path path;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  /** Bytes for which there is room on disk. */
  private long room = HEADER;

  private StatisticsMap(Path path) throws IOException {
    this.path = path;
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      memory = file.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, arena);
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  private static Path folder() throws IOException {
    return RuntimeFolder.ensure(RuntimeFolder.user().resolve("stat"));
  }

  /** Makes the file of a node of this process, and removes those that killed processes have left. Blocks. */
  public static StatisticsMap create() throws IOException {
    removeDead();
    Path path = folder().resolve(ProcessName.own().file(Integer.toString(NUMBERS.incrementAndGet())));
    RuntimeFolder.write(path, new byte[HEADER]);
    StatisticsMap made = new StatisticsMap(path);
    made.memory.set(LONG, 0, MAGIC);
    return made;
  }

  /**
   * Replaces the text; one that does not fit is left out, and readers see the one before. One thread at a time.
   *
   * @throws RdmaException if there is no room for it on disk; readers see the one before
   */
  public void write(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > SIZE - HEADER) {
      return;
    }
    if (HEADER + bytes.length > room) {
      long more = Math.min(SIZE, HEADER + bytes.length + ROOM & -ROOM);
      try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
        RuntimeFolder.reserve(path, file, room, more);
      }
      room = more;
    }
    int version = (int) VERSION.get(memory, 8L);
    VERSION.setVolatile(memory, 8L, version + 1);
    memory.set(ValueLayout.JAVA_INT, 12, bytes.length);
    MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, HEADER, bytes.length);
    VERSION.setVolatile(memory, 8L, version + 2);
  }

  /** Unmaps and removes the file. Idempotent. */
  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
      path.toFile().delete();
    }
  }

  /** Statistics of a process now, one text for each of its nodes; empty if there is no such process, or none of its nodes has said anything. */
  public static List<String> read(long pid) throws IOException {
    List<String> texts = new ArrayList<>();
    for (Map.Entry<Path, ProcessName> file : files().entrySet()) {
      if (file.getValue().pid() == pid && file.getValue().isAlive()) {
        read(file.getKey()).ifPresent(texts::add);
      }
    }
    return texts;
  }

  /** Processes of this user that have nodes. Files of those that are gone are removed. */
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

  /** Those of this PID namespace; what containers that share the folder have in it is theirs to read and to remove. */
  private static SortedMap<Path, ProcessName> files() throws IOException {
    SortedMap<Path, ProcessName> near = new TreeMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder())) {
      files.forEach(file -> ProcessName.of(file.getFileName().toString()).filter(ProcessName::isNear)
        .ifPresent(writer -> near.put(file, writer)));
    }
    return near;
  }

  private static Optional<String> read(Path path) throws IOException {
    if (Files.size(path) < SIZE) {
      return Optional.empty();
    }
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ); Arena arena = Arena.ofConfined()) {
      MemorySegment memory = file.map(FileChannel.MapMode.READ_ONLY, 0, SIZE, arena);
      if (memory.get(LONG, 0) != MAGIC) {
        return Optional.empty();
      }
      for (int i = 0; i < ATTEMPTS; i++) {
        int before = (int) VERSION.getVolatile(memory, 8L);
        int length = memory.get(ValueLayout.JAVA_INT, 12);
        if ((before & 1) == 0 && before != 0 && length >= 0 && length <= SIZE - HEADER) {
          byte[] bytes = memory.asSlice(HEADER, length).toArray(ValueLayout.JAVA_BYTE);
          VarHandle.loadLoadFence();
          if ((int) VERSION.getOpaque(memory, 8L) == before) {
            return Optional.of(new String(bytes, StandardCharsets.UTF_8));
          }
        }
        Thread.onSpinWait();
      }
      return Optional.empty();
    }
  }
}
