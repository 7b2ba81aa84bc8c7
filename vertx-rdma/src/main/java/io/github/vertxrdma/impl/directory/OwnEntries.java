package io.github.vertxrdma.impl.directory;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.RegionEntry;
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
 * Entries of this node in its file of the same-host directory. What is to change waits in a queue, and all that is in it when the
 * directory's thread comes to it goes with one writing. It is written behind what is there, and the whole file anew once as much has been
 * added as there was: whoever publishes one after the other writes a few times what the file has in the end. Confined to that thread but
 * for the queue.
 */
final class OwnEntries {
  private static final Logger LOG = LoggerFactory.getLogger(OwnEntries.class);
  /** Period in which a node tells those of other PID namespaces that it lives: {@link SignsOfLife}. */
  private static final long TOUCH_NANOS = TimeUnit.MILLISECONDS.toNanos(SignsOfLife.SILENT_MILLIS / 5);

  /** Bytes that are added even to a small file. */
  private static final int ADDED_AT_LEAST = 8 << 10;

  private final SameHostFile file;
  private final Function<RegionEntry, String> owner;
  private final Consumer<String> trouble;
  /** Entries of the file, by key. */
  private final Map<String, DirectoryEntry> entries = new LinkedHashMap<>();
  /** Keys of entries whose names others have in the folder. */
  private final Set<String> contested = new HashSet<>();
  /** Guarded by itself. */
  private final List<Change> queue = new ArrayList<>();
  private long touched;
  private boolean released;
  /** Null before the file is written. */
  private LifeMark mark;
  /** The file has entries that were withdrawn, without saying so. */
  private boolean stale;
  /** Bytes of the file when it was last written whole, and those added since. */
  private int whole;
  private int added;
  private volatile int written;
  private volatile long writtenBytes;

  /** An entry that comes or goes; one that comes needs the folder's lock, since its name may be taken. */
  record Change(DirectoryEntry entry, boolean isComing, Promise<Void> done) {
  }

  /**
   * @param owner the other node that has a region of that name; null if there is none
   * @param trouble hears why the file is not as it should be, and null when it is again
   */
  OwnEntries(SameHostFile file, Function<RegionEntry, String> owner, Consumer<String> trouble) {
    this.file = file;
    this.owner = owner;
    this.trouble = trouble;
  }

  SameHostFile file() {
    return file;
  }

  /** Times that the file was written, whole or at its end; any thread. */
  int written() {
    return written;
  }

  /** Bytes that were written; any thread. */
  long writtenBytes() {
    return writtenBytes;
  }

  // ---- the queue

  /** Queues a change; any thread. @return whether it is the first, so that the directory's thread has to be told */
  boolean queue(Change change) {
    synchronized (queue) {
      queue.add(change);
      return queue.size() == 1;
    }
  }

  /** Takes what is queued; any thread. */
  List<Change> take() {
    synchronized (queue) {
      List<Change> taken = new ArrayList<>(queue);
      queue.clear();
      return taken;
    }
  }

  // ---- the file

  /**
   * Writes what was queued; with the folder's lock held if an entry is to come, whose name may be taken. Entries that the file could not be
   * written with are not this node's; what goes is taken out later.
   */
  void write(List<Change> taken) {
    List<Change> coming = new ArrayList<>();
    Buffer records = Buffer.buffer();
    boolean isGoing = false;
    ArrayDeque<Runnable> undo = new ArrayDeque<>();
    for (Change change : taken) {
      DirectoryEntry entry = change.entry();
      String other = change.isComing() && entry instanceof RegionEntry region ? owner.apply(region) : null;
      if (other != null) {
        change.done().fail(AbstractDirectory.taken((RegionEntry) entry, other));
      } else if (change.isComing()) {
        DirectoryEntry before = entries.put(entry.key(), entry);
        undo.push(() -> entries.computeIfPresent(entry.key(), (key, there) -> there == entry ? before : there));
        coming.add(change);
        records.appendBuffer(SameHostFile.record(entry));
      } else if (remove(entry)) {
        isGoing = true;
        records.appendBuffer(SameHostFile.removal(entry));
      }
    }
    try {
      // A file that others removed meanwhile comes back with the folder's lock held: names may be taken.
      if (!coming.isEmpty() || records.length() > 0 && Files.exists(file.path())) {
        add(records);
      }
      coming.forEach(change -> change.done().complete());
    } catch (IOException | RdmaException e) {
      undo.forEach(Runnable::run);
      stale |= isGoing;
      if (coming.isEmpty()) {
        stillThere(e);
      }
      coming.forEach(change -> change.done().fail(e));
    }
    taken.stream().filter(change -> !change.isComing()).forEach(change -> change.done().complete());
  }

  /** Ends what was queued where the folder could not be looked at: nothing is published, and what goes is taken out of the file later. */
  void fail(List<Change> taken, Throwable cause) {
    for (Change change : taken) {
      if (change.isComing()) {
        change.done().tryFail(cause);
      } else {
        stale |= remove(change.entry());
        change.done().tryComplete();
      }
    }
  }

  private boolean remove(DirectoryEntry entry) {
    DirectoryEntry there = entries.get(entry.key());
    return there != null && there.epoch() == entry.epoch() && entries.remove(entry.key(), there);
  }

  private void add(Buffer records) throws IOException {
    if (released) {
      return;
    }
    int length = records.length();
    boolean fits = added + length <= Math.max(whole, ADDED_AT_LEAST) && whole + added + length <= SameHostFile.MAX_BYTES;
    if (stale || whole == 0 || !fits || !append(records)) {
      write();
      return;
    }
    added += length;
    written(length);
  }

  private boolean append(Buffer records) throws IOException {
    int size = whole + added;
    // If it fails it is written whole: who read a part of these records would take the next ones for the rest of them.
    whole = 0;
    boolean appended = file.append(size, records);
    whole = size - added;
    return appended;
  }

  private void written(int bytes) {
    written++;
    writtenBytes += bytes;
    touched = System.nanoTime();
    trouble.accept(null);
  }

  /** Takes out of the file what was withdrawn; where the disk is full, once there is room. */
  void rewriteStale() {
    if (stale) {
      try {
        write();
      } catch (IOException | RdmaException e) {
        stillThere(e);
      }
    }
  }

  private void stillThere(Exception cause) {
    trouble.accept("What was withdrawn is still in the same-host directory: " + cause.getMessage());
  }

  void write() throws IOException {
    if (released) {
      return;
    }
    whole = file.write(List.copyOf(entries.values()));
    takeMark();
    added = 0;
    stale = false;
    written(whole);
  }

  /** Tells processes of other PID namespaces that this one lives. @return false if the file has been removed */
  boolean touch() throws IOException {
    long now = System.nanoTime();
    if (entries.isEmpty() || now - touched < TOUCH_NANOS) {
      return true;
    }
    touched = now;
    try {
      Files.setLastModifiedTime(file.path(), FileTime.fromMillis(System.currentTimeMillis()));
      return true;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /** Hears of an entry that another node has in the folder. */
  void seen(String key) {
    if (entries.containsKey(key)) {
      contested.add(key);
    }
  }

  /**
   * Regions whose names others took while this node seemed dead stay theirs. With the folder's lock held, which all who take names hold.
   */
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

  /** Takes the mark by which processes of other PID namespaces know that this one lives though it does not touch its file. */
  private void takeMark() {
    if (mark == null) {
      try {
        mark = LifeMark.take(file.path());
      } catch (IOException e) {
        trouble.accept("Processes of other containers do not know that this one lives while it is stopped: the file beside " + file.path()
          + " cannot be locked: " + e.getMessage());
      }
    }
  }

  /** Removes the file, which is not written any more. */
  void release() throws IOException {
    released = true;
    Files.deleteIfExists(file.path());
    if (mark != null) {
      mark.close();
    }
  }
}
