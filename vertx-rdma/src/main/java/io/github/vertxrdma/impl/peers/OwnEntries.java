package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.impl.process.HeldFile;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.attribute.FileTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Entries of this node in its file of the same-host directory. One write carries all queued changes. Changes are appended, and the file is
 * rewritten once the appended bytes exceed the rest. Except for the queue, confined to the directory's thread.
 */
final class OwnEntries {
  private static final Logger LOG = LoggerFactory.getLogger(OwnEntries.class);
  /** Period of {@link #touch}, in which a removed file is restored, see {@link SignsOfLife}. */
  private static final long TOUCH_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final int ADDED_AT_LEAST = 8 << 10;

  private final SameHostFile file;
  private final Function<RegionEntry, String> owner;
  private final Consumer<String> trouble;
  private final Map<String, DirectoryEntry> entries = new LinkedHashMap<>();
  /** Keys of entries that other nodes have too. */
  private final Set<String> contested = new HashSet<>();
  /** Guarded by itself. */
  private final List<Change> queue = new ArrayList<>();
  private long touched;
  private boolean released;
  private HeldFile mark;
  private boolean stale;
  /** Bytes of the last complete write. {@code appendedBytes} follow them. */
  private int baseBytes;
  private int appendedBytes;
  private volatile int written;
  private volatile long writtenBytes;

  /** A change. An addition needs the folder's lock, since its name may be taken. */
  record Change(DirectoryEntry entry, boolean isAddition, Promise<Void> done) {
  }

  /**
   * @param owner returns the other node that has a region of this name, or null
   * @param trouble called with the reason if the file is incorrect, and with null once it is correct
   */
  OwnEntries(SameHostFile file, Function<RegionEntry, String> owner, Consumer<String> trouble) {
    this.file = file;
    this.owner = owner;
    this.trouble = trouble;
  }

  SameHostFile file() {
    return file;
  }

  int written() {
    return written;
  }

  long writtenBytes() {
    return writtenBytes;
  }

  // ---- the queue

  /** Queues a change. Any thread. @return true for the first one, for which the caller must schedule a write */
  boolean queue(Change change) {
    synchronized (queue) {
      queue.add(change);
      return queue.size() == 1;
    }
  }

  /** Any thread. */
  List<Change> take() {
    synchronized (queue) {
      List<Change> taken = new ArrayList<>(queue);
      queue.clear();
      return taken;
    }
  }

  // ---- the file

  /** Writes changes. Additions need the folder's lock, and are undone if the write fails. A removal that fails is written later. */
  void write(List<Change> taken) {
    List<Change> additions = new ArrayList<>();
    Buffer records = Buffer.buffer();
    boolean hasRemovals = false;
    ArrayDeque<Runnable> undo = new ArrayDeque<>();
    for (Change change : taken) {
      DirectoryEntry entry = change.entry();
      String other = change.isAddition() && entry instanceof RegionEntry region ? owner.apply(region) : null;
      if (other != null) {
        change.done().fail(AbstractDirectory.taken((RegionEntry) entry, other));
      } else if (change.isAddition()) {
        DirectoryEntry before = entries.put(entry.key(), entry);
        undo.push(() -> entries.computeIfPresent(entry.key(), (key, present) -> present == entry ? before : present));
        additions.add(change);
        records.appendBuffer(SameHostFile.record(entry));
      } else if (remove(entry)) {
        hasRemovals = true;
        records.appendBuffer(SameHostFile.removal(entry));
      }
    }
    try {
      // A deleted file is only restored with the folder's lock, since names may be taken.
      if (!additions.isEmpty() || records.length() > 0 && Files.exists(file.path())) {
        add(records);
      }
      additions.forEach(change -> change.done().complete());
    } catch (IOException | RdmaException e) {
      undo.forEach(Runnable::run);
      stale |= hasRemovals;
      if (additions.isEmpty()) {
        reportStale(e);
      }
      additions.forEach(change -> change.done().fail(e));
    }
    taken.stream().filter(change -> !change.isAddition()).forEach(change -> change.done().complete());
  }

  /** Completes changes without a write, as the folder is not readable: additions fail, removals are written later. */
  void fail(List<Change> taken, Throwable cause) {
    for (Change change : taken) {
      if (change.isAddition()) {
        change.done().tryFail(cause);
      } else {
        stale |= remove(change.entry());
        change.done().tryComplete();
      }
    }
  }

  private boolean remove(DirectoryEntry entry) {
    DirectoryEntry present = entries.get(entry.key());
    return present != null && present.epoch() == entry.epoch() && entries.remove(entry.key(), present);
  }

  private void add(Buffer records) throws IOException {
    if (released) {
      return;
    }
    int length = records.length();
    boolean fits = appendedBytes + length <= Math.max(baseBytes, ADDED_AT_LEAST)
      && baseBytes + appendedBytes + length <= SameHostFile.MAX_BYTES;
    if (stale || baseBytes == 0 || !fits || !append(records)) {
      write();
      return;
    }
    appendedBytes += length;
    written(length);
  }

  private boolean append(Buffer records) throws IOException {
    int size = baseBytes + appendedBytes;
    // If the append fails, the file is rewritten: a reader of a partial record would misread the following ones.
    baseBytes = 0;
    boolean appended = file.append(size, records);
    baseBytes = size - appendedBytes;
    return appended;
  }

  private void written(int bytes) {
    written++;
    writtenBytes += bytes;
    touched = System.nanoTime();
    trouble.accept(null);
  }

  /** Retries to remove withdrawn entries, as a full disk may have room. */
  void rewriteStale() {
    if (stale) {
      try {
        write();
      } catch (IOException | RdmaException e) {
        reportStale(e);
      }
    }
  }

  private void reportStale(Exception cause) {
    trouble.accept("What was withdrawn is still in the same-host directory: " + cause.getMessage());
  }

  void write() throws IOException {
    if (released) {
      return;
    }
    // The mark comes first: a file without it is judged by its time.
    if (mark == null) {
      mark = HeldFile.create(file.mark(), new byte[0]);
    } else {
      mark.restore(new byte[0]);
    }
    baseBytes = file.write(List.copyOf(entries.values()));
    appendedBytes = 0;
    stale = false;
    written(baseBytes);
  }

  /** @return false if the file or its mark was deleted */
  boolean touch() throws IOException {
    long now = System.nanoTime();
    if (entries.isEmpty() || now - touched < TOUCH_NANOS) {
      return true;
    }
    touched = now;
    try {
      Files.setLastModifiedTime(file.path(), FileTime.fromMillis(System.currentTimeMillis()));
      return mark.isThere();
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /** Called for an entry that another node has too. */
  void foundElsewhere(String key) {
    if (entries.containsKey(key)) {
      contested.add(key);
    }
  }

  /** Drops regions whose names other nodes took while this one seemed dead. Called with the folder's lock held. */
  void leaveTaken() {
    for (String key : contested) {
      String other = entries.get(key) instanceof RegionEntry region ? owner.apply(region) : null;
      if (other != null) {
        stale = true;
        LOG.error(AbstractDirectory.takenMeanwhile((RegionEntry) entries.remove(key), other));
      }
    }
    contested.clear();
  }

  void release() throws IOException {
    released = true;
    try {
      Files.deleteIfExists(file.path());
    } finally {
      if (mark != null) {
        mark.close();
      }
    }
  }
}
