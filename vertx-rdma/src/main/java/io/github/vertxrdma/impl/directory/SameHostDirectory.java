package io.github.vertxrdma.impl.directory;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.impl.control.ControlLinks;
import io.github.vertxrdma.impl.directory.OtherEntries.Changes;
import io.github.vertxrdma.impl.directory.SignsOfLife.Life;
import io.github.vertxrdma.impl.loop.Told;
import io.github.vertxrdma.impl.process.FolderLock;
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
 * The processes of one user on one host find each other through files in a folder of mode 0700, one per node. A node is there as long as
 * the process that wrote its file lives; files of dead processes are removed by whoever sees them. The folder is polled on the directory's
 * thread, which all the rest is confined to. Nodes of elsewhere whose control addresses are known come to it ({@link PeerExchange}).
 */
public final class SameHostDirectory extends AbstractDirectory implements ControlAware, NeighbourGroups {
  private static final Logger LOG = LoggerFactory.getLogger(SameHostDirectory.class);
  /** The time between two looks at each file though the folder says that none was written: for processes that have died. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  /** More than the grain of a file system's clock: a folder younger than this may change once more without looking so. */
  private static final long CLOCK_MILLIS = 100;

  private static final String FOLDER = "directory";

  private final Path folder;
  private final PeerExchange peers;
  private final OwnEntries own;
  private final AtomicBoolean polling = new AtomicBoolean();
  private final long timer;
  /** Entries of the other files. */
  private final Map<Path, OtherEntries> seen = new HashMap<>();
  /** Owners of the regions read, by the regions' keys. */
  private final Map<String, String> regionOwners = new HashMap<>();
  /** Nodes of the folder, for any thread. */
  private volatile Set<String> near = Set.of();
  private final SignsOfLife signs = new SignsOfLife();
  private FileTime folderModified;
  private long looked;
  private boolean released;
  private boolean sameIdTold;
  /** The last trouble that was told of; null when there is none. */
  private volatile String trouble;
  private volatile long readBytes;

  private SameHostDirectory(Vertx vertx, DirectoryOptions options, Path folder) {
    List<HostAndPort> addresses = PeerExchange.addresses(options.getPeers());
    List<DirectoryEntry> entries = options.getEntries().stream().map(DirectoryEntry::fromJson).toList();
    super(vertx, folder, options.getNodeId() == null ? UUID.randomUUID().toString() : options.getNodeId());
    this.folder = folder;
    this.own = new OwnEntries(SameHostFile.own(folder, newEpoch()), this::owner, this::trouble);
    List<DirectoryEntry> given = entries.stream().filter(entry -> !entry.nodeId().equals(nodeId())).toList();
    this.peers = new PeerExchange(loop, addresses, given, cache, this::published, node -> near.contains(node));
    this.timer = loop.setPeriodic(options.getPollInterval().toMillis(), id -> pollLater());
  }

  /** Opens it off the event loop. */
  public static Future<DirectoryBackend> open(Vertx vertx, DirectoryOptions options) {
    return vertx.executeBlocking(() -> {
      Path root = options.getPath() == null ? RuntimeFolder.ensure(RuntimeFolder.user().resolve(FOLDER))
        : RuntimeFolder.ensure(Path.of(options.getPath()));
      return new SameHostDirectory(vertx, options, RuntimeFolder.ensure(root.resolve(options.getGroup())));
    }, false).compose(directory -> directory.open(() -> {
      directory.look();
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
  protected void tell(DirectoryEntry entry) {
    peers.tell(entry);
  }

  @Override
  protected void tellRemoval(DirectoryEntry entry) {
    peers.tellRemoval(entry);
  }

  private Future<Void> change(DirectoryEntry entry, boolean isComing) {
    Promise<Void> done = Told.promise((VertxInternal) vertx);
    if (own.queue(new OwnEntries.Change(entry, isComing, done))) {
      thread.call(() -> {
        writeQueued();
        return null;
      }).onFailure(cause -> own.take().forEach(change -> change.done().fail(cause)));
    }
    return done.future();
  }

  private void writeQueued() {
    List<OwnEntries.Change> taken = own.take();
    if (taken.stream().noneMatch(OwnEntries.Change::isComing)) {
      // Waits for nobody: no name is taken.
      own.write(taken);
      return;
    }
    try (FolderLock lock = FolderLock.take(folder)) {
      look();
      own.leaveTaken();
      // Takes along what was queued while it waited for the lock.
      taken.addAll(own.take());
      own.write(taken);
    } catch (IOException | RuntimeException e) {
      own.fail(taken, e);
    }
  }

  /** Times that this node's file was written; any thread. */
  int written() {
    return own.written();
  }

  /** Bytes that were written to it; any thread. */
  long writtenBytes() {
    return own.writtenBytes();
  }

  /** Bytes that were read of other nodes' files; any thread. */
  long readBytes() {
    return readBytes;
  }

  /** The other node that has published a region of that name; null if there is none. */
  private String owner(RegionEntry region) {
    String other = regionOwners.get(region.key());
    return other == null ? cache.ownerOf(region, nodeId()) : other;
  }

  @Override
  public Future<List<String>> groupsWith(Predicate<DirectoryEntry> wanted) {
    return thread.call(() -> groups(folder.getParent(), wanted).stream().filter(group -> !group.equals(folder.getFileName().toString()))
      .toList());
  }

  /** The groups of this user on this host that have living nodes; blocks. */
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

  /** Tells whether a living node of a group's folder, as far as this process can see it, has such an entry. */
  private static boolean hasLiving(Path group, Predicate<DirectoryEntry> wanted) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(group, "*.node")) {
      for (Path path : files) {
        SameHostFile file = SameHostFile.parse(path).orElse(null);
        if (file != null && (!file.writer().isNear() || file.writer().isAlive()) && file.read().stream().anyMatch(wanted)) {
          return true;
        }
      }
    } catch (IOException | IllegalArgumentException e) {
      // Another group's folder: what cannot be read there has nothing to tell.
    }
    return false;
  }

  @Override
  protected Future<Void> erase(DirectoryEntry entry) {
    tellRemoval(entry);
    return change(entry, false);
  }

  /** Warns once of what is tried again and again. @param what null once it is well */
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

  /** Looks if something may have changed: the folder's own time shows files that come and go by renaming, and is set by who adds to one. */
  private void poll() throws IOException {
    if (released) {
      return;
    }
    if (!own.touch()) {
      restoreOwn();
    }
    own.rewriteStale();
    if (System.nanoTime() - looked > LOOK_NANOS || !Files.getLastModifiedTime(folder).equals(folderModified)) {
      look();
    }
  }

  /** Reads what changed and forgets the dead. */
  private void look() throws IOException {
    if (released) {
      return;
    }
    FileTime modified = Files.getLastModifiedTime(folder);
    folderModified = System.currentTimeMillis() - modified.toMillis() < CLOCK_MILLIS ? null : modified;
    looked = System.nanoTime();
    signs.look(looked);
    Set<Path> there = new HashSet<>();
    Set<Path> alive = new HashSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.node")) {
      for (Path path : files) {
        if (!path.equals(own.file().path())) {
          there.add(path);
          SameHostFile.parse(path).filter(this::look).ifPresent(file -> alive.add(path));
        }
      }
    }
    signs.retain(there);
    seen.keySet().stream().filter(path -> !alive.contains(path)).toList().forEach(this::forget);
  }

  /** Reads what is new in the file. @return false if its process is dead, or may be */
  private boolean look(SameHostFile file) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file.path(), BasicFileAttributes.class);
      FileTime modified = attributes.lastModifiedTime();
      Life life = !file.writer().isNear() ? signs.judge(file.path(), modified, System.currentTimeMillis())
        : file.writer().isAlive() ? Life.ALIVE : Life.DEAD;
      if (life != Life.ALIVE && !file.writer().isNear() && LifeMark.isHeld(file.path())) {
        life = Life.ALIVE;
      }
      if (life == Life.DEAD) {
        Files.deleteIfExists(file.path());
        LifeMark.delete(file.path());
      }
      if (life != Life.ALIVE) {
        return false;
      }
      OtherEntries other = seen.getOrDefault(file.path(), new OtherEntries(file));
      if (!other.isUpToDate(attributes)) {
        Changes changes = other.read(attributes);
        seen.put(file.path(), other);
        readBytes += changes.bytes();
        if (!sameIdTold && file.writer().isNear() && changes.come().stream().anyMatch(this::isOwn)) {
          sameIdTold = true;
          LOG.error("Process " + file.writer().pid() + " has the id of this node too, " + nodeId() + ", in the " + where()
            + ": what it publishes is"
            + " not taken; give each node an id of its own (DirectoryOptions.setNodeId)");
        }
        change(changes.gone(), changes.come());
      }
      return true;
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException | IllegalArgumentException e) {
      trouble("A node's file of the same-host directory could not be read: " + file.path() + ": " + e.getMessage());
      // Keeps it as it was: this process may have no descriptor left.
      return e instanceof IOException;
    }
  }

  /** Tells whether an entry of another file is of this node's id: of an earlier run, or of another process that was given it. */
  private boolean isOwn(DirectoryEntry entry) {
    return entry.nodeId().equals(nodeId());
  }

  private void forget(Path path) {
    change(seen.remove(path).all(), List.of());
  }

  /** Takes over what changed in one file. A key that went is that of another file which has it too. */
  private void change(List<DirectoryEntry> gone, List<DirectoryEntry> come) {
    Set<String> before = near;
    near = seen.values().stream().flatMap(other -> other.nodeIds().stream()).collect(Collectors.toUnmodifiableSet());
    before.stream().filter(node -> !near.contains(node)).forEach(peers::unknown);
    List<DirectoryEntry> now = new ArrayList<>();
    for (DirectoryEntry entry : gone) {
      regionOwners.remove(entry.key(), entry.nodeId());
      seen.values().stream().map(other -> other.get(entry.key())).filter(Objects::nonNull).findFirst().ifPresent(now::add);
    }
    now.addAll(come);
    now.removeIf(this::isOwn);
    for (DirectoryEntry entry : now) {
      if (entry instanceof RegionEntry && regionOwners.putIfAbsent(entry.key(), entry.nodeId()) == null) {
        own.seen(entry.key());
      }
    }
    cache.replace(gone, now);
    Stream.concat(gone.stream(), now.stream()).forEach(peers::changed);
  }

  /** Puts back the file, which others removed while this process stood still and seemed dead. */
  private void restoreOwn() throws IOException {
    try (FolderLock lock = FolderLock.take(folder)) {
      look();
      own.leaveTaken();
      own.write();
    }
  }
}
