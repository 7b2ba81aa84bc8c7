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
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Listening socket of this process in the runtime folder, {@code live-PROCESS}. A successful connect shows that the process lives and runs
 * on this kernel, in any namespace. The kernel also answers for a stopped process, and refuses connects to a dead one. This class accepts
 * no connection: a full backlog counts as an answer too. Thread-safe. Methods may block.
 */
public final class LivenessSocket implements AutoCloseable {
  static final String PREFIX = "live-";
  private static final int MOST_ASKED = 1 << 14;
  private static final Logger LOG = LoggerFactory.getLogger(LivenessSocket.class);
  private static final Set<Path> REPORTED = ConcurrentHashMap.newKeySet();
  /** Sockets of this process. Guarded by this map. */
  private static final Map<Path, LivenessSocket> OPEN = new HashMap<>();
  /** For each process {@link #NEAR}, or the {@link System#nanoTime} of the last connect without an answer. */
  private static final Map<Long, Long> ASKED = new ConcurrentHashMap<>();
  /** Value for a process that has answered. It is not asked again, because it never moves to another host. */
  private static final long NEAR = Long.MIN_VALUE;
  private static final long FAR_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Path path;
  private ServerSocketChannel channel;
  private Object key;
  private int users;

  private LivenessSocket(Path path) {
    this.path = path;
  }

  /** Opens the socket of this process, which all callers share. It listens until each caller has closed it. */
  public static LivenessSocket open() {
    return open(ProcessIdentity.current().process());
  }

  public static LivenessSocket open(long process) {
    Path path = path(process);
    synchronized (OPEN) {
      LivenessSocket socket = OPEN.computeIfAbsent(path, LivenessSocket::new);
      socket.users++;
      socket.restore();
      return socket;
    }
  }

  private static Path path(long process) {
    return RuntimeFolder.path().toAbsolutePath().resolve(PREFIX + HexFormat.of().toHexDigits(process));
  }

  public Path path() {
    return path;
  }

  /** Listens again if another process removed the socket file. Returns false if no socket can be created. */
  public boolean restore() {
    synchronized (OPEN) {
      if (users == 0 || isThere()) {
        return true;
      }
      ServerSocketChannel made = null;
      try {
        RuntimeFolder.ensure(path.getParent());
        made = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        made.bind(UnixDomainSocketAddress.of(ShortPath.of(path)), 1);
        key = keyOrRemove();
        ServerSocketChannel removed = channel;
        channel = made;
        made = removed;
        return true;
      } catch (IOException | UnsupportedOperationException e) {
        if (REPORTED.add(path.getParent())) {
          LOG.info("cannot listen on " + path + ": " + e.getMessage() + ". Other processes of this host therefore treat this one as a "
            + "process of another host. Name another folder with VERTX_RDMA_RUNTIME");
        }
        return false;
      } finally {
        close(made);
      }
    }
  }

  private Object keyOrRemove() throws IOException {
    try {
      return HeldFile.key(path);
    } catch (IOException e) {
      // A remaining socket file would make every later bind fail.
      remove(path);
      throw e;
    }
  }

  private boolean isThere() {
    try {
      return key != null && key.equals(HeldFile.key(path));
    } catch (IOException e) {
      // If the file cannot be inspected, it cannot be created again either.
      return true;
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

  /** Returns whether two processes are the same, or both answer in this runtime folder. Asks each at most once a second. */
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
      asked = answers(path(process), false) ? NEAR : System.nanoTime();
      ASKED.put(process, asked);
    }
    return asked == NEAR;
  }

  static boolean lives(long process) {
    return lives(path(process));
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
  static boolean answers(Path socket, boolean unknown) {
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
        OPEN.remove(path);
        if (channel != null && isThere()) {
          remove(path);
        }
        close(channel);
      }
    }
  }
}
