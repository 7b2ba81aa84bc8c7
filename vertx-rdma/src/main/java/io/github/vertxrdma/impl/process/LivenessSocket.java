package io.github.vertxrdma.impl.process;

import io.github.vertxrdma.directory.ProcessIdentity;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Listening socket of this process in each runtime folder, {@code live-PROCESS}. A successful connect shows that the process lives and runs
 * on this kernel, in any namespace. The kernel also answers for a stopped process, and refuses connects to a dead one. This class accepts
 * no connection: a full backlog counts as an answer too. Thread-safe. Methods may block.
 */
public final class LivenessSocket implements AutoCloseable {
  static final String PREFIX = "live-";
  private static final int MOST_ASKED = 1 << 14;
  private static final Logger LOG = LoggerFactory.getLogger(LivenessSocket.class);
  private static final Set<Path> REPORTED = ConcurrentHashMap.newKeySet();
  /** Sockets of this process, by its number. Guarded by this map. */
  private static final Map<Long, LivenessSocket> OPEN = new HashMap<>();
  /** For each process {@link #NEAR}, or the {@link System#nanoTime} of the last connect without an answer. */
  private static final Map<Long, Long> ASKED = new ConcurrentHashMap<>();
  /** Value for a process that has answered. It is not asked again, because it never moves to another host. */
  private static final long NEAR = Long.MIN_VALUE;
  private static final long FAR_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final long process;
  private final Map<Path, Bound> bound = new HashMap<>();
  private int users;

  private record Bound(ServerSocketChannel channel, Object key) {
    boolean isAt(Path path) {
      try {
        return key != null && key.equals(HeldFile.key(path));
      } catch (IOException e) {
        // If the file cannot be inspected, it cannot be created again either.
        return true;
      }
    }
  }

  private LivenessSocket(long process) {
    this.process = process;
  }

  /** Opens the socket of this process, which all callers share. It listens until each caller has closed it. */
  public static LivenessSocket open() {
    return open(ProcessIdentity.current().process());
  }

  public static LivenessSocket open(long process) {
    synchronized (OPEN) {
      LivenessSocket socket = OPEN.computeIfAbsent(process, LivenessSocket::new);
      socket.users++;
      socket.restore();
      return socket;
    }
  }

  private static Path path(Path folder, long process) {
    return folder.toAbsolutePath().resolve(PREFIX + HexFormat.of().toHexDigits(process));
  }

  public List<Path> paths() {
    synchronized (OPEN) {
      return List.copyOf(bound.keySet());
    }
  }

  /** Listens in each runtime folder where the socket file is missing. Returns false if that fails in one of them. */
  public boolean restore() {
    synchronized (OPEN) {
      if (users == 0) {
        return true;
      }
      List<Path> paths = RuntimeFolder.paths().stream().map(folder -> path(folder, process)).toList();
      List.copyOf(bound.keySet()).stream().filter(path -> !paths.contains(path)).forEach(path -> close(bound.remove(path).channel));
      Exception failure = null;
      for (Path path : paths) {
        Exception failed = bind(path);
        failure = failure == null ? failed : failure;
      }
      if (bound.isEmpty() && REPORTED.add(paths.getFirst())) {
        LOG.info("cannot listen on " + paths.getFirst() + ": " + failure.getMessage() + ". Other processes of this host therefore treat "
          + "this one as a process of another host. Name another folder with VERTX_RDMA_RUNTIME");
      }
      return failure == null;
    }
  }

  /** Returns the cause if the socket cannot be bound, otherwise null. */
  private Exception bind(Path path) {
    Bound before = bound.get(path);
    if (before != null && before.isAt(path)) {
      return null;
    }
    ServerSocketChannel made = null;
    try {
      RuntimeFolder.ensure(path.getParent());
      made = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      made.bind(UnixDomainSocketAddress.of(ShortPath.of(path)), 1);
      bound.put(path, new Bound(made, keyOrRemove(path)));
      made = before == null ? null : before.channel;
      return null;
    } catch (IOException | UnsupportedOperationException e) {
      return e;
    } finally {
      close(made);
    }
  }

  private static Object keyOrRemove(Path path) throws IOException {
    try {
      return HeldFile.key(path);
    } catch (IOException e) {
      // A remaining socket file would make every later bind fail.
      remove(path);
      throw e;
    }
  }

  private static void close(ServerSocketChannel closed) {
    try {
      if (closed != null) {
        closed.close();
      }
    } catch (IOException e) {
      // The socket carries no data.
    }
  }

  /** Returns whether two processes are the same, or both answer in a runtime folder of this process. Asks each at most once a second. */
  public static boolean sameHost(ProcessIdentity one, ProcessIdentity other) {
    return one.sameProcess(other) || one.sameFolder(other) && isNear(one.process()) && isNear(other.process());
  }

  private static boolean isNear(long process) {
    if (process == 0 || process == ProcessIdentity.current().process()) {
      return process != 0;
    }
    Long asked = ASKED.get(process);
    if (asked == null || asked != NEAR && System.nanoTime() - asked > FAR_NANOS) {
      if (ASKED.size() >= MOST_ASKED) {
        ASKED.clear();
      }
      asked = RuntimeFolder.present().stream().anyMatch(folder -> answers(path(folder, process), false)) ? NEAR : System.nanoTime();
      ASKED.put(process, asked);
    }
    return asked == NEAR;
  }

  static boolean lives(long process) {
    return RuntimeFolder.present().stream().anyMatch(folder -> lives(path(folder, process)));
  }

  /** Returns whether the process of a socket answers. Removes the socket of a dead process. */
  public static boolean lives(Path socket) {
    boolean answers = answers(socket, true);
    if (!answers && HeldFile.seesLocks(socket)) {
      // Sockets of processes on other hosts refuse too, so remove only on a local file system.
      remove(socket);
    }
    return answers;
  }

  private static void remove(Path socket) {
    try {
      Files.deleteIfExists(socket);
    } catch (IOException e) {
      // The next process tries to remove it.
    }
  }

  /** @param unknown result if a cause in this process, such as missing rights, prevents the connect and the socket exists */
  public static boolean answers(Path socket, boolean unknown) {
    boolean isOpen = false;
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.configureBlocking(false);
      isOpen = true;
      probe.connect(UnixDomainSocketAddress.of(ShortPath.of(socket)));
      return true;
    } catch (ConnectException e) {
      return false;
    } catch (IOException | UnsupportedOperationException e) {
      // With an open probe and write permission the cause is EAGAIN: the backlog is full, so the process lives.
      return isOpen && Files.isWritable(socket) || unknown && Files.exists(socket, LinkOption.NOFOLLOW_LINKS);
    }
  }

  @Override
  public void close() {
    synchronized (OPEN) {
      if (--users == 0) {
        OPEN.remove(process);
        bound.forEach((path, socket) -> {
          if (socket.isAt(path)) {
            remove(path);
          }
          close(socket.channel);
        });
        bound.clear();
      }
    }
  }
}
