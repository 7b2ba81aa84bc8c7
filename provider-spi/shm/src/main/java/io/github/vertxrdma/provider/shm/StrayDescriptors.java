package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

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
  private static final int IDLE_MILLIS = 1000;
  /** Nanoseconds without a finished close after which busy threads count as blocked. */
  private static final long BLOCKED_NANOS = 1_000_000_000;

  private static final System.Logger LOG = System.getLogger(StrayDescriptors.class.getName());
  private static final Map<Long, StrayDescriptors> USERS = new ConcurrentHashMap<>();

  private final long user;
  private final ArrayDeque<Integer> waiting = new ArrayDeque<>();
  private int threads;
  private int idle;
  private long progress = System.nanoTime();
  private long refused;

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
    int all = 0;
    for (StrayDescriptors each : USERS.values()) {
      all += each.waiting();
    }
    if (all >= MOST_OF_ALL) {
      throw new ProviderException(Reason.LIMIT, "shm: cannot accept a connection: " + all + " file descriptors that its users sent "
        + "are not closed yet");
    }
  }

  static int unclosed() {
    return USERS.values().stream().mapToInt(StrayDescriptors::count).sum();
  }

  private synchronized void add(int fd) {
    waiting.add(fd);
    if (waiting.size() <= idle || threads == MOST_THREADS) {
      notify();
      return;
    }
    threads++;
    try {
      Thread.ofPlatform().daemon().name("vertx-rdma-shm-close").start(this::run);
    } catch (OutOfMemoryError e) {
      // No thread can be started. The next call tries again.
      threads--;
    }
  }

  private synchronized boolean refuses() {
    if (waiting.size() < MOST_WAITING && (threads < MOST_THREADS || idle > 0 || System.nanoTime() - progress < BLOCKED_NANOS)) {
      return false;
    }
    if (refused++ == 0) {
      LOG.log(System.Logger.Level.WARNING,
        "shm: " + MOST_THREADS + " file descriptors that processes of user " + user + " sent take long to close. Connections of "
          + "that user are refused until one is closed. End the process that sends them.");
    }
    return true;
  }

  static long refused(long user) {
    StrayDescriptors of = USERS.get(user);
    return of == null ? 0 : of.refusedConnections();
  }

  private synchronized long refusedConnections() {
    return refused;
  }

  private synchronized int waiting() {
    return waiting.size();
  }

  private synchronized int count() {
    return waiting.size() + threads - idle;
  }

  private void run() {
    for (int fd = next(); fd >= 0; fd = next()) {
      FileDescriptor.close(fd);
    }
  }

  /** Returns the next descriptor, or -1 if the idle thread should end. */
  private synchronized int next() {
    idle++;
    progress = System.nanoTime();
    try {
      if (waiting.isEmpty()) {
        wait(IDLE_MILLIS);
      }
    } catch (InterruptedException e) {
      // No code interrupts these threads.
    }
    idle--;
    if (waiting.isEmpty()) {
      threads--;
      return -1;
    }
    return waiting.poll();
  }
}
