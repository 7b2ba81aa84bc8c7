package io.github.vertxrdma.provider.verbs;

import java.util.ArrayDeque;
import java.util.concurrent.ThreadFactory;

/**
 * Runs calls that take long, in order, on a thread that lives only while there is work. A device takes milliseconds to move or destroy a
 * queue pair, and on iWARP the cancellation of a connect waits for the answer (10 s on siw). Without a thread they run in {@link #await}.
 */
final class VerbsThread {
  private final ThreadFactory threads;
  private final ArrayDeque<Runnable> work = new ArrayDeque<>();
  private boolean running;

  VerbsThread(ThreadFactory threads) {
    this.threads = threads;
  }

  synchronized boolean later(Runnable task) {
    work.add(task);
    if (!running) {
      try {
        threads.newThread(this::run).start();
        running = true;
      } catch (OutOfMemoryError e) {
        // No thread (RLIMIT_NPROC, pids.max): the caller continues, and this task waits for the next one.
        return false;
      }
    }
    return true;
  }

  synchronized boolean busy() {
    return running || !work.isEmpty();
  }

  /** Also runs tasks for which no thread could be started. */
  void await() {
    boolean alone;
    synchronized (this) {
      alone = !running && !work.isEmpty();
      running |= alone;
    }
    if (alone) {
      run();
    }
    join();
  }

  private synchronized void join() {
    boolean interrupted = false;
    while (running) {
      try {
        wait();
      } catch (InterruptedException e) {
        // Half-destroyed objects cannot be abandoned: the device would still own their memory.
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    while (true) {
      Runnable next;
      synchronized (this) {
        next = work.poll();
        if (next == null) {
          running = false;
          notifyAll();
          return;
        }
      }
      try {
        next.run();
      } catch (Throwable t) {
        // Reported as if it had ended the thread, which has to run the other tasks.
        Thread.currentThread().getUncaughtExceptionHandler().uncaughtException(Thread.currentThread(), t);
      }
    }
  }
}
