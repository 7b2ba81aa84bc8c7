package io.github.vertxrdma.impl.process;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Checks the limit of threads: RLIMIT_NPROC of setrlimit(2), or {@code pids.max} of cgroups(7). */
public final class ThreadLimit {
  /** Number of threads that a node and Vert.x start until the first connection. */
  public static final int NEEDED = 12;
  /** Start of the JDK's message for a thread that did not start. Missing memory causes other messages. */
  private static final String NOT_STARTED = "unable to create native thread";
  private static final String REMEDY = ". Raise the limit of threads with 'ulimit -u', TasksMax= of a systemd unit or --pids-limit of a "
    + "container.";

  /** Texts of the JDK, HotSpot and {@code jspawnhelper} for a thread or process that the system refused: EAGAIN of fork(2). */
  private static final Pattern REFUSED = Pattern
    .compile(NOT_STARTED + "|pthread_create failed \\(EAGAIN\\)|\\berror(=|: ?)11\\b.*(Resource temporarily unavailable|fork|spawn|exec)");

  private static volatile boolean checked;

  private ThreadLimit() {
  }

  /** Checks once that a node can start its threads. Vert.x would lose results of an event loop whose thread cannot start. */
  public static void check() {
    if (!checked) {
      check("cannot start RDMA", "a node", NEEDED);
      checked = true;
    }
  }

  /** Starts threads, then ends them. @param action start of the error message @throws RdmaException {@code LIMIT} if one does not start */
  public static void check(String action, String user, int needed) {
    check(action, user, needed, Thread.ofPlatform().daemon().name("vertx-rdma-limit").factory());
  }

  static void check(String action, String user, int needed, ThreadFactory threads) {
    List<Thread> started = new ArrayList<>();
    try {
      while (started.size() < needed) {
        Thread thread = threads.newThread(ThreadLimit::awaitInterrupt);
        thread.start();
        started.add(thread);
      }
    } catch (OutOfMemoryError e) {
      if (!isNotStarted(e)) {
        throw e;
      }
      throw new RdmaException(Reason.LIMIT, action + ": " + user + " needs " + needed + " threads, and only " + started.size()
        + " can be started" + REMEDY, e);
    } finally {
      started.forEach(Thread::interrupt);
      started.forEach(ThreadLimit::awaitEnd);
    }
  }

  private static void awaitInterrupt() {
    while (!Thread.currentThread().isInterrupted()) {
      LockSupport.park();
    }
  }

  private static void awaitEnd(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean isNotStarted(Throwable cause) {
    return cause instanceof OutOfMemoryError && String.valueOf(cause.getMessage()).startsWith(NOT_STARTED);
  }

  public static Throwable named(Throwable cause) {
    return isNotStarted(cause) ? new RdmaException(Reason.LIMIT, "cannot start a thread: the system refuses it" + REMEDY, cause) : cause;
  }

  /** Makes a call that may start a thread. The future fails with a remedy if the system refuses the thread. */
  public static <T> Future<T> named(Supplier<Future<T>> call) {
    try {
      return call.get();
    } catch (OutOfMemoryError e) {
      return Future.failedFuture(named(e));
    }
  }

  public static void start(Runnable task) {
    try {
      task.run();
    } catch (OutOfMemoryError e) {
      if (named(e) instanceof RdmaException failure) {
        throw failure;
      }
      throw e;
    }
  }

  /** Returns the remedy as the end of a message if a text reports a refused thread or process, otherwise "". */
  public static String remedy(String text) {
    return REFUSED.matcher(text).find() ? REMEDY : "";
  }
}
