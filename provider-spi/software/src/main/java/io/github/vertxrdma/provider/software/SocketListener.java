package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.ProviderException;
import java.util.concurrent.TimeUnit;

public abstract class SocketListener<Q extends SoftwareQueue> extends SoftwareListener<Q> {
  protected static final int BACKLOG = 1024;
  private static final int ACCEPTS_PER_POLL = 64;
  private static final int PAUSE_MILLIS = 100;
  private static final System.Logger LOG = System.getLogger(SocketListener.class.getName());

  private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

  private boolean logged;
  /** {@link System#nanoTime} of the last warning, if {@link #logged}. */
  private long loggedAt;

  protected SocketListener(Q queue, ListenHandler handler) {
    super(queue, handler);
  }

  /** Accepts at most 64 connections. @return false if none is left, or accepting pauses */
  protected final boolean acceptWaiting() {
    for (int i = 0; i < ACCEPTS_PER_POLL && !isClosed(); i++) {
      try {
        if (!acceptNext()) {
          return false;
        }
      } catch (ProviderException e) {
        // The process lacks file descriptors or memory. Peers wait in the backlog.
        watch(false);
        queue().deadline(PAUSE_MILLIS, this::resume);
        log(e);
        return false;
      }
    }
    return !isClosed();
  }

  private void log(ProviderException cause) {
    long now = System.nanoTime();
    if (!logged || now - loggedAt > LOG_NANOS) {
      logged = true;
      loggedAt = now;
      try {
        LOG.log(System.Logger.Level.WARNING, "Connections to " + localAddress() + " wait: " + cause.getMessage());
      } catch (LinkageError e) {
        // Logging loads classes, which needs a file descriptor.
      }
    }
  }

  private void resume() {
    if (!isClosed()) {
      try {
        watch(true);
      } catch (ProviderException e) {
        // The limit of epoll watches is reached.
        queue().deadline(PAUSE_MILLIS, this::resume);
      }
    }
  }

  /**
   * @return false if no peer waits
   * @throws ProviderException if this process lacks file descriptors or memory
   */
  protected abstract boolean acceptNext();

  /** Sets whether polls call {@link #acceptWaiting} when peers wait. */
  protected abstract void watch(boolean on);
}
