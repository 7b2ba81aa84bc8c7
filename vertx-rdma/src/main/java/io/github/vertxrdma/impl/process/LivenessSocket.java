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
 * Listening socket of this process in the runtime folder, {@code live-PROCESS}. A connect shows that the process lives and runs on this
 * kernel, in whatever namespaces: the kernel answers for a stopped process, and refuses for a dead one. No connection is accepted, and a
 * full backlog is an answer too. Thread-safe. Methods may block.
 */
public final class LivenessSocket implements AutoCloseable {
  static final String PREFIX = "live-";
  private static final int MOST_ASKED = 1 << 14;
  private static final Logger LOG = LoggerFactory.getLogger(LivenessSocket.class);
  private static final Set<Path> REPORTED = ConcurrentHashMap.newKeySet();
  /** Guarded by itself. */
  private static final Map<Path, LivenessSocket> OPEN = new HashMap<>();
  /** Times at which processes did not answer, or {@link #NEAR}. */
  private static final Map<Long, Long> ASKED = new ConcurrentHashMap<>();
  /** The process has answered. It never moves to another host. */
  private static final long NEAR = Long.MIN_VALUE;
  /** Time until a process is asked again. */
  private static final long FAR_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Path path;
  private ServerSocketChannel channel;
  private Object key;
  private int users;

  private LivenessSocket(Path path) {
    this.path = path;
  }

  /** Listens until each user of the socket has closed it. */
  public static LivenessSocket open() {
    return open(ProcessIdentity.current().process());
  }

  /** Listens in the name of a process. */
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

  /** Listens again if others removed the socket. If no socket can be made, other evidence decides. */
  void restore() {
    synchronized (OPEN) {
      if (users == 0 || isThere()) {
        return;
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
      } catch (IOException | UnsupportedOperationException e) {
        if (REPORTED.add(path.getParent())) {
          LOG.info(
            "cannot listen on " + path + ": " + e.getMessage() + ". Other processes of this host then count as far away; name"
              + " another folder by VERTX_RDMA_RUNTIME");
        }
      } finally {
        close(made);
      }
    }
  }

  private Object keyOrRemove() throws IOException {
    try {
      return HeldFile.key(path);
    } catch (IOException e) {
      // Otherwise no later call could bind.
      remove(path);
      throw e;
    }
  }

  private boolean isThere() {
    try {
      return key != null && key.equals(HeldFile.key(path));
    } catch (IOException e) {
      // A socket that cannot be seen cannot be restored.
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

  /** Returns whether both processes answer in the runtime folder of this one. Asks at most once a second, without waiting. */
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

  /** Returns whether a process answers. The socket of a dead one is removed. */
  public static boolean lives(Path socket) {
    boolean answers = answers(socket, true);
    if (!answers && HeldFile.seesLocks(socket)) {
      // The sockets of another kernel refuse too.
      remove(socket);
    }
    return answers;
  }

  private static void remove(Path socket) {
    try {
      Files.deleteIfExists(socket);
    } catch (IOException e) {
      // The next process tries again.
    }
  }

  /** @param unknown result if this process cannot connect to the socket for a reason of its own */
  static boolean answers(Path socket, boolean unknown) {
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.configureBlocking(false);
      return connects(probe, socket, unknown);
    } catch (IOException | UnsupportedOperationException e) {
      return unknown && Files.exists(socket, LinkOption.NOFOLLOW_LINKS);
    }
  }

  private static boolean connects(SocketChannel probe, Path socket, boolean unknown) {
    try {
      probe.connect(UnixDomainSocketAddress.of(ShortPath.of(socket)));
      return true;
    } catch (ConnectException e) {
      return false;
    } catch (IOException e) {
      // EAGAIN, a full backlog, if this process may use the socket.
      return Files.isWritable(socket) || unknown && Files.exists(socket, LinkOption.NOFOLLOW_LINKS);
    }
  }

  /** Removes the socket when its last user closes it. */
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
