package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Closes file descriptors that peers sent, and sockets that may contain some. Each sending user has its own daemon threads, because a peer
 * can delay close(2) without limit, with SO_LINGER or a FUSE file. Thread-safe.
 */
final class StrayDescriptors {
  /** Maximum number of threads for one user. While all are blocked, connections of that user are refused. */
  static final int MOST_THREADS = 16;
  /** Number of unclosed descriptors of one user at which the user's further connections are refused. */
  static final int MOST_WAITING = 1024;
  /** Number of unclosed descriptors of all users at which no further connection is accepted. */
  static final int MOST_OF_ALL = 16 * MOST_WAITING;
  /** Nanoseconds without a further close after which busy threads count as blocked. */
  private static final long BLOCKED_NANOS = 1_000_000_000;
  private static final System.Logger LOG = System.getLogger(StrayDescriptors.class.getName());

  private static final Map<Long, StrayDescriptors> USERS = new ConcurrentHashMap<>();

  private final long user;
  private final DaemonThreads threads = new DaemonThreads("vertx-rdma-shm-close", MOST_THREADS);
  private final AtomicInteger unclosed = new AtomicInteger();
  private final AtomicLong refused = new AtomicLong();
  private volatile long progress = System.nanoTime();

  private StrayDescriptors(long user) {
    this.user = user;
  }

  /** Closes a descriptor on another thread. {@code user} is negative if unknown. */
  static void close(int fd, long user) {
    USERS.computeIfAbsent(user, StrayDescriptors::new).add(fd);
  }

  /** Returns whether connections of a user are refused, because too many of its descriptors are not closed. Counts the refusal. */
  static boolean refuses(long user) {
    StrayDescriptors of = USERS.get(user);
    return of != null && of.refuses();
  }

  /** Throws {@code LIMIT} if {@value #MOST_OF_ALL} descriptors of all users wait to be closed. */
  static void checkRoom() {
    int all = unclosed();
    if (all >= MOST_OF_ALL) {
      throw new ProviderException(Reason.LIMIT, "shm: cannot accept a connection: " + all + " file descriptors that its users sent "
        + "are not closed yet");
    }
  }

  static int unclosed() {
    return USERS.values().stream().mapToInt(of -> of.unclosed.get()).sum();
  }

  private void add(int fd) {
    unclosed.incrementAndGet();
    threads.execute(() -> {
      progress = System.nanoTime();
      FileDescriptor.close(fd);
      unclosed.decrementAndGet();
    });
  }

  private boolean refuses() {
    int left = unclosed.get();
    if (left > 0 && threads.getPoolSize() == 0) {
      threads.retry();
    }
    if (left < MOST_WAITING && (threads.getActiveCount() < MOST_THREADS || System.nanoTime() - progress < BLOCKED_NANOS)) {
      return false;
    }
    if (refused.getAndIncrement() == 0) {
      LOG.log(System.Logger.Level.WARNING,
        "shm: " + MOST_THREADS + " file descriptors that processes of user " + user + " sent take long to close. Connections of "
          + "that user are refused until one is closed. End the process that sends them.");
    }
    return true;
  }

  static long refused(long user) {
    StrayDescriptors of = USERS.get(user);
    return of == null ? 0 : of.refused.get();
  }
}
