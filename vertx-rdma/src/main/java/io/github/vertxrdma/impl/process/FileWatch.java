package io.github.vertxrdma.impl.process;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;
import static java.nio.file.StandardWatchEventKinds.OVERFLOW;

import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

/**
 * Calls a handler when watched files are removed or changed, as inotify(7) reports. All instances of a process share one {@link
 * WatchService}, because a user may have only 128 inotify instances by default. Thread-safe. Methods block.
 */
public final class FileWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FileWatch.class);
  private static final Path MOUNTS = Path.of("/proc/self/mounts");
  /** Key that matches every file of a folder. */
  private static final Path ANY = Path.of("");
  /** Open watches. Guarded by the class, as are all fields. */
  private static final Set<FileWatch> OPEN = new HashSet<>();
  /** Folders in which all changes are reported. In other folders only removals are reported, because their files are written often. */
  private static final Set<Path> READ = new HashSet<>();
  private static WatchService service;

  private final Runnable changed;
  /** Watched file names of each folder. The value is true if all changes are reported, false if only the removal is. */
  private Map<WatchKey, Map<Path, Boolean>> names = Map.of();
  private boolean closed;

  /** @param changed called by a thread of this class */
  public FileWatch(Runnable changed) {
    this.changed = changed;
  }

  /**
   * Watches these files instead of the earlier ones.
   *
   * @param kept files whose removal is reported
   * @param read files of which each change is reported, also the creation
   * @return false if changes may be missed, so that the caller has to poll the files
   */
  public boolean watch(Collection<Path> kept, Collection<Path> read) {
    synchronized (FileWatch.class) {
      Map<WatchKey, Map<Path, Boolean>> now = new HashMap<>();
      boolean all = !closed && succeeds(this::open);
      if (all) {
        for (Path each : kept) {
          all &= succeeds(() -> add(each, each.getFileName(), false, now));
        }
        for (Path each : read) {
          all &= succeeds(() -> addRead(each, now));
        }
      }
      Map<WatchKey, Map<Path, Boolean>> before = names;
      names = now;
      cancelUnused(before);
      return all;
    }
  }

  private static boolean succeeds(Callable<Boolean> call) {
    try {
      return call.call();
    } catch (Exception | OutOfMemoryError e) {
      LOG.debug("Files are checked every 15 s, since the system does not report their changes: " + e);
      return false;
    }
  }

  private boolean open() throws IOException {
    OPEN.add(this);
    if (service == null) {
      WatchService made = FileSystems.getDefault().newWatchService();
      try {
        // The first virtual thread of a process starts two platform threads.
        Thread.ofPlatform().daemon().name("vertx-rdma-files").inheritInheritableThreadLocals(false).start(() -> serve(made));
      } catch (OutOfMemoryError e) {
        made.close();
        throw e;
      }
      service = made;
    }
    return true;
  }

  private static boolean addRead(Path read, Map<WatchKey, Map<Path, Boolean>> now) throws IOException {
    boolean isLink = Files.isSymbolicLink(read);
    READ.add(read.toAbsolutePath().getParent());
    Path folder = read.toAbsolutePath().getParent().normalize();
    // If the folder is a symbolic link, a change of its target is not reported.
    boolean all = folder.equals(folder.toRealPath()) & add(read, isLink ? ANY : read.getFileName(), true, now);
    if (Files.notExists(read)) {
      return all && !isLink;
    }
    Path real = read.toRealPath();
    READ.add(real.getParent());
    // Changes of a file that is itself a mount point are not reported in this folder.
    return all & !Files.readString(MOUNTS).contains(' ' + real.toString().replace(" ", "\\040") + ' ')
      & add(real, isLink ? ANY : real.getFileName(), true, now);
  }

  private static boolean add(Path file, Path name, boolean isRead, Map<WatchKey, Map<Path, Boolean>> now) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    WatchKey key = READ.contains(folder) ? folder.register(service, ENTRY_DELETE, ENTRY_CREATE, ENTRY_MODIFY)
      : folder.register(service, ENTRY_DELETE);
    now.computeIfAbsent(key, k -> new HashMap<>()).merge(name, isRead, Boolean::logicalOr);
    // On a network file system, changes by other hosts are not reported.
    return HeldFile.seesLocks(file);
  }

  private static void cancelUnused(Map<WatchKey, Map<Path, Boolean>> before) {
    before.keySet().stream().filter(key -> OPEN.stream().noneMatch(each -> each.names.containsKey(key))).forEach(WatchKey::cancel);
  }

  private static void serve(WatchService from) {
    try {
      while (true) {
        WatchKey key = from.take();
        List<WatchEvent<?>> events = key.pollEvents();
        // The key of a removed folder is invalid.
        boolean isFolder = key.reset();
        List<FileWatch> concerned;
        synchronized (FileWatch.class) {
          concerned = OPEN.stream().filter(each -> each.isConcerned(key, events, isFolder)).toList();
        }
        for (FileWatch each : concerned) {
          try {
            each.changed.run();
          } catch (RuntimeException e) {
            LOG.debug("A change of files was not handled: " + e);
          }
        }
      }
    } catch (ClosedWatchServiceException | InterruptedException e) {
      // The last watch was closed.
    }
  }

  private boolean isConcerned(WatchKey key, List<WatchEvent<?>> events, boolean isFolder) {
    Map<Path, Boolean> watched = names.get(key);
    return watched != null && (!isFolder || watched.containsKey(ANY) || events.stream().anyMatch(event -> event.kind() == OVERFLOW
      || watched.getOrDefault(event.context(), false) || event.kind() == ENTRY_DELETE && watched.containsKey(event.context())));
  }

  @Override
  public void close() throws IOException {
    synchronized (FileWatch.class) {
      closed = true;
      OPEN.remove(this);
      cancelUnused(names);
      if (OPEN.isEmpty() && service != null) {
        service.close();
        service = null;
        READ.clear();
      }
    }
  }
}
