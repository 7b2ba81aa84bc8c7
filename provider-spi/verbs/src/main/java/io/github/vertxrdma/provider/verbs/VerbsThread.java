package io.github.vertxrdma.provider.verbs;

import java.util.ArrayDeque;
import java.util.concurrent.ThreadFactory;

/**
 * Runs slow tasks in order, on a thread that ends when there are none. Moving or destroying a queue pair takes milliseconds. Cancelling a
 * connect on iWARP takes up to 10 s (siw). If no thread can be started, {@link #await} runs the tasks.
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
        // No thread can be started (RLIMIT_NPROC, pids.max).
        return false;
      }
    }
    return true;
  }

  synchronized boolean busy() {
    return running || !work.isEmpty();
  }

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
        // Continues to wait, because the device still uses the memory of objects that are not destroyed.
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
        // Reports the failure and continues with the other tasks.
        Thread.currentThread().getUncaughtExceptionHandler().uncaughtException(Thread.currentThread(), t);
      }
    }
  }
}
