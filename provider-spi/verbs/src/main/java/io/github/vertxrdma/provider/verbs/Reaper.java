package io.github.vertxrdma.provider.verbs;

import java.util.ArrayDeque;
import java.util.concurrent.ThreadFactory;

/**
 * Destroys what takes long to destroy, on a thread that lives only as long as there is something to do: on iWARP the kernel makes
 * whoever gives up a connect wait for the answer or its own timeout (10 s on siw), and no event loop can. In the order it was told. Where
 * the process gets no thread, it is done when it gets one, at the latest by whoever waits.
 */
final class Reaper {
  private final ThreadFactory threads;
  private final ArrayDeque<Runnable> work = new ArrayDeque<>();
  private boolean running;

  Reaper(ThreadFactory threads) {
    this.threads = threads;
  }

  /** Runs it later. */
  synchronized void later(Runnable destroy) {
    work.add(destroy);
    if (!running) {
      try {
        threads.newThread(this::run).start();
        running = true;
      } catch (OutOfMemoryError e) {
        // No thread (RLIMIT_NPROC, pids.max): what closes goes on, and this waits for the next one.
      }
    }
  }

  /** Whether something is still to be destroyed. */
  synchronized boolean busy() {
    return running || !work.isEmpty();
  }

  /** Waits until everything is destroyed, and destroys what no thread could be started for. */
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
        // Half-destroyed objects cannot be left behind: their memory would still be the device's.
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
        // Told as if it had ended the thread, which has the others to destroy.
        Thread.currentThread().getUncaughtExceptionHandler().uncaughtException(Thread.currentThread(), t);
      }
    }
  }
}
