package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.GivenPath;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.impl.peers.OtherEntries.Changes;
import io.github.vertxrdma.impl.peers.SignsOfLife.Life;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.process.FolderLock;
import io.github.vertxrdma.impl.process.HeldFile;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.net.HostAndPort;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A directory for the processes of one user on one host: a folder of mode 0700 with one file per node. A node is present while its
 * process holds the mark beside its file ({@link HeldFile}). If the lock cannot be seen, it is present while its process touches the file
 * ({@link SignsOfLife}). Any process deletes the files of dead ones. Confined to the directory's thread, which polls the folder. {@link
 * PeerExchange} adds nodes of other hosts.
 */
public final class SameHostDirectory extends AbstractDirectory implements ControlAware, NeighbourGroups {
  private static final Logger LOG = LoggerFactory.getLogger(SameHostDirectory.class);
  /** Maximum time between two scans, which find dead processes. */
  private static final long SCAN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  /** More than the resolution of file times: a younger folder may change again without a new time. */
  private static final long CLOCK_MILLIS = 100;

  private static final String FOLDER = "directory";

  private final Path folder;
  private final PeerExchange peers;
  private final OwnEntries own;
  private final AtomicBoolean polling = new AtomicBoolean();
  private final long timer;
  private final Map<Path, OtherEntries> others = new HashMap<>();
  private final Map<String, String> regionOwners = new HashMap<>();
  /** Read by any thread. */
  private volatile Set<String> folderNodes = Set.of();
  private final SignsOfLife signs = new SignsOfLife();
  private FileTime folderModified;
  private long scanned;
  private boolean released;
  private boolean sameIdLogged;
  /** The last logged problem; null if there is none. */
  private volatile String trouble;
  private volatile long readBytes;

  private SameHostDirectory(Vertx vertx, DirectoryOptions options, Path folder) {
    List<HostAndPort> addresses = PeerExchange.addresses(options.getPeers());
    List<DirectoryEntry> entries = options.getEntries().stream().map(DirectoryEntry::fromJson).toList();
    super(vertx, folder, options.getNodeId() == null ? UUID.randomUUID().toString() : options.getNodeId());
    this.folder = folder;
    this.own = new OwnEntries(SameHostFile.own(folder, newEpoch()), this::owner, this::trouble);
    List<DirectoryEntry> given = entries.stream().filter(entry -> !entry.nodeId().equals(nodeId())).toList();
    this.peers = new PeerExchange(loop, addresses, given, cache, this::published, node -> folderNodes.contains(node));
    this.timer = loop.setPeriodic(options.getPollInterval().toMillis(), id -> pollLater());
  }

  public static Future<DirectoryBackend> open(Vertx vertx, DirectoryOptions options) {
    return vertx.executeBlocking(() -> {
      Path root = options.getPath() == null ? RuntimeFolder.ensure(RuntimeFolder.user().resolve(FOLDER))
        : RuntimeFolder.ensure(GivenPath.of(options.getPath(), "DirectoryOptions.setPath"));
      return new SameHostDirectory(vertx, options, RuntimeFolder.ensure(root.resolve(options.getGroup())));
    }, false).compose(directory -> directory.open(() -> {
      directory.scan();
      return null;
    }));
  }

  @Override
  public String type() {
    return DirectoryOptions.SAME_HOST;
  }

  @Override
  public String where() {
    return "same-host directory " + folder.getParent() + ", group '" + folder.getFileName() + '\'';
  }

  @Override
  public void attach(ControlLinks links) {
    peers.attach(links);
  }

  @Override
  protected Future<Void> store(DirectoryEntry entry) {
    return change(entry, true).onSuccess(v -> {
      if (self().controlPort() != 0) {
        peers.start();
      }
    });
  }

  @Override
  protected void announce(DirectoryEntry entry) {
    peers.announce(entry);
  }

  @Override
  protected void announceRemoval(DirectoryEntry entry) {
    peers.announceRemoval(entry);
  }

  private Future<Void> change(DirectoryEntry entry, boolean isAddition) {
    Promise<Void> done = LoopCall.promise((VertxInternal) vertx);
    if (own.queue(new OwnEntries.Change(entry, isAddition, done))) {
      thread.call(() -> {
        writeQueued();
        return null;
      }).onFailure(cause -> own.take().forEach(change -> change.done().fail(cause)));
    }
    return done.future();
  }

  private void writeQueued() {
    List<OwnEntries.Change> taken = own.take();
    if (taken.stream().noneMatch(OwnEntries.Change::isAddition)) {
      // Removals need no lock.
      own.write(taken);
      return;
    }
    try (FolderLock lock = FolderLock.take(folder)) {
      scan();
      own.leaveTaken();
      // Adds changes that were queued while it waited for the lock.
      taken.addAll(own.take());
      own.write(taken);
    } catch (IOException | RuntimeException e) {
      own.fail(taken, e);
    }
  }

  int written() {
    return own.written();
  }

  long writtenBytes() {
    return own.writtenBytes();
  }

  /** Any thread. */
  long readBytes() {
    return readBytes;
  }

  private String owner(RegionEntry region) {
    String other = regionOwners.get(region.key());
    return other == null ? cache.ownerOf(region, nodeId()) : other;
  }

  @Override
  public Future<List<String>> groupsWith(Predicate<DirectoryEntry> wanted) {
    return thread.call(() -> groups(folder.getParent(), wanted).stream().filter(group -> !group.equals(folder.getFileName().toString()))
      .toList());
  }

  /** Returns this user's groups with living nodes. Blocks. */
  public static List<String> groups() throws IOException {
    return groups(RuntimeFolder.ensure(RuntimeFolder.user().resolve(FOLDER)), entry -> true);
  }

  private static List<String> groups(Path root, Predicate<DirectoryEntry> wanted) throws IOException {
    List<String> groups = new ArrayList<>();
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(root, Files::isDirectory)) {
      for (Path group : folders) {
        if (hasLiving(group, wanted)) {
          groups.add(group.getFileName().toString());
        }
      }
    }
    groups.sort(null);
    return groups;
  }

  /** Returns false also for files that this process cannot read. */
  private static boolean hasLiving(Path group, Predicate<DirectoryEntry> wanted) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(group, "*.node")) {
      for (Path path : files) {
        SameHostFile file = SameHostFile.parse(path).orElse(null);
        if (file != null && HeldFile.state(file.mark()) != HeldFile.State.FREE && file.read().stream().anyMatch(wanted)) {
          return true;
        }
      }
    } catch (IOException | IllegalArgumentException e) {
      // Unreadable: ignored.
    }
    return false;
  }

  @Override
  protected Future<Void> erase(DirectoryEntry entry) {
    announceRemoval(entry);
    return change(entry, false);
  }

  /** Logs a problem once. @param what null if there is none */
  private void trouble(String what) {
    if (what != null && !what.equals(trouble)) {
      LOG.warn(what);
    }
    trouble = what;
  }

  @Override
  protected Future<Void> release() {
    vertx.cancelTimer(timer);
    peers.close();
    return thread.call(() -> {
      released = true;
      own.release();
      return null;
    });
  }

  private void pollLater() {
    if (!polling.compareAndSet(false, true)) {
      return;
    }
    thread.call(() -> {
      poll();
      return null;
    }).onComplete(done -> {
      polling.set(false);
      if (done.failed() && !isClosed()) {
        trouble("The same-host directory " + folder + " could not be read, or this node's file in it written: " + done.cause());
      }
    });
  }

  /** Scans the folder if its time changed or a scan is due. The time changes with renamed files, and writers set it after an append. */
  private void poll() throws IOException {
    if (released) {
      return;
    }
    try {
      if (!own.touch()) {
        restoreOwn();
      }
      own.rewriteStale();
      if (System.nanoTime() - scanned > SCAN_NANOS || !Files.getLastModifiedTime(folder).equals(folderModified)) {
        scan();
      }
    } catch (NoSuchFileException e) {
      // Others removed the folder. The next touch restores the file.
      RuntimeFolder.ensure(folder);
    }
  }

  private void scan() throws IOException {
    if (released) {
      return;
    }
    FileTime modified = Files.getLastModifiedTime(folder);
    folderModified = System.currentTimeMillis() - modified.toMillis() < CLOCK_MILLIS ? null : modified;
    scanned = System.nanoTime();
    signs.look(scanned);
    Set<Path> present = new HashSet<>();
    Set<Path> alive = new HashSet<>();
    Set<Path> marks = new HashSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.node*")) {
      for (Path path : files) {
        if (path.toString().endsWith(SameHostFile.SUFFIX)) {
          present.add(path);
        } else {
          marks.add(path);
        }
      }
    }
    present.remove(own.file().path());
    present.forEach(path -> SameHostFile.parse(path).ifPresent(file -> {
      marks.remove(file.mark());
      if (scan(file)) {
        alive.add(path);
      }
    }));
    removeFree(marks);
    signs.retain(present);
    others.keySet().stream().filter(path -> !alive.contains(path)).toList().forEach(this::forget);
  }

  /** Removes marks of processes that died before they wrote their files, or whose files others removed. */
  private static void removeFree(Set<Path> marks) throws IOException {
    for (Path mark : marks) {
      if (HeldFile.state(mark) == HeldFile.State.FREE) {
        Files.deleteIfExists(mark);
      }
    }
  }

  /** Reads changes of a file. @return false if its process is, or may be, dead */
  private boolean scan(SameHostFile file) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file.path(), BasicFileAttributes.class);
      Life life = switch (HeldFile.state(file.mark())) {
        case HELD -> Life.ALIVE;
        case FREE -> Life.DEAD;
        case UNKNOWN -> signs.judge(file.path(), attributes.lastModifiedTime(), System.currentTimeMillis());
      };
      if (life == Life.DEAD) {
        Files.deleteIfExists(file.path());
        Files.deleteIfExists(file.mark());
      }
      if (life != Life.ALIVE) {
        return false;
      }
      OtherEntries other = others.getOrDefault(file.path(), new OtherEntries(file));
      if (!other.isUpToDate(attributes)) {
        Changes changes = other.read(attributes);
        others.put(file.path(), other);
        readBytes += changes.bytes();
        if (!sameIdLogged && file.writer().isNear() && changes.added().stream().anyMatch(this::isOwn)) {
          sameIdLogged = true;
          LOG.error("Process " + file.writer().pid() + " has the id of this node too, " + nodeId() + ", in the " + where()
            + ": what it publishes is"
            + " not taken; give each node an id of its own (DirectoryOptions.setNodeId)");
        }
        change(changes.removed(), changes.added());
      }
      return true;
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException | IllegalArgumentException e) {
      trouble("A node's file of the same-host directory could not be read: " + file.path() + ": " + e.getMessage());
      // Keeps the entries: this process may have no descriptor left.
      return e instanceof IOException;
    }
  }

  /** Returns true also for an entry of an earlier run, or of another process with the same id. */
  private boolean isOwn(DirectoryEntry entry) {
    return entry.nodeId().equals(nodeId());
  }

  private void forget(Path path) {
    change(others.remove(path).all(), List.of());
  }

  /** Applies the changes of a file. If another file has a removed key too, its entry becomes visible. */
  private void change(List<DirectoryEntry> removed, List<DirectoryEntry> added) {
    Set<String> before = folderNodes;
    folderNodes = others.values().stream().flatMap(other -> other.nodeIds().stream()).collect(Collectors.toUnmodifiableSet());
    before.stream().filter(node -> !folderNodes.contains(node)).forEach(peers::unknown);
    List<DirectoryEntry> now = new ArrayList<>();
    for (DirectoryEntry entry : removed) {
      regionOwners.remove(entry.key(), entry.nodeId());
      others.values().stream().map(other -> other.get(entry.key())).filter(Objects::nonNull).findFirst().ifPresent(now::add);
    }
    now.addAll(added);
    now.removeIf(this::isOwn);
    for (DirectoryEntry entry : now) {
      if (entry instanceof RegionEntry && regionOwners.putIfAbsent(entry.key(), entry.nodeId()) == null) {
        own.foundElsewhere(entry.key());
      }
    }
    cache.replace(removed, now);
    Stream.concat(removed.stream(), now.stream()).forEach(peers::changed);
  }

  /** Restores the file, which other processes deleted while this one was stopped. */
  private void restoreOwn() throws IOException {
    try (FolderLock lock = FolderLock.take(folder)) {
      scan();
      own.leaveTaken();
      own.write();
    }
  }
}
