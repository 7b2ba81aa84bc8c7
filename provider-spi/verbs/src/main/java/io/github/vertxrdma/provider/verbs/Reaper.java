package io.github.vertxrdma.provider.verbs;

import java.util.ArrayDeque;

/**
 * Destroys what takes long to destroy, on a thread that lives only as long as there is something to do: on iWARP the kernel makes
 * whoever gives up a connect wait for the answer or its own timeout (10 s on siw), and no event loop can. In the order it was told.
 */
final class Reaper {
  private final String name;
  private final ArrayDeque<Runnable> work = new ArrayDeque<>();
  private boolean running;

  Reaper(String name) {
    this.name = name;
  }

  /** Runs it later. */
  synchronized void later(Runnable destroy) {
    work.add(destroy);
    if (!running) {
      running = true;
      Thread thread = new Thread(this::run, name);
      thread.setDaemon(true);
      thread.start();
    }
  }

  /** Whether something is still to be destroyed. */
  synchronized boolean busy() {
    return running;
  }

  /** Waits until everything is destroyed. */
  synchronized void await() {
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
      next.run();
    }
  }
}
