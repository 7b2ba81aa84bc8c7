package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.ProviderException;
import java.util.concurrent.TimeUnit;

/** A listener whose peers wait at a socket to be accepted. */
public abstract class SocketListener<Q extends SoftwareQueue> extends SoftwareListener<Q> {
  protected static final int BACKLOG = 1024;
  private static final int TURN = 64;
  private static final int PAUSE_MILLIS = 100;
  private static final System.Logger LOG = System.getLogger(SocketListener.class.getName());

  /** Period of lines while connections wait. */
  private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

  private boolean logged;
  /** Time of {@link System#nanoTime}; meaningless unless {@link #logged}. */
  private long loggedAt;

  protected SocketListener(Q queue, ListenHandler handler) {
    super(queue, handler);
  }

  /** @return false if no more peers can be accepted now */
  protected final boolean acceptWaiting() {
    for (int i = 0; i < TURN && !isClosed(); i++) {
      try {
        if (!acceptNext()) {
          return false;
        }
      } catch (ProviderException e) {
        // Out of descriptors or memory: peers stay in the backlog for a while.
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
        // The first line of a process loads classes, for which it needs a descriptor.
      }
    }
  }

  private void resume() {
    if (!isClosed()) {
      try {
        watch(true);
      } catch (ProviderException e) {
        // No epoll watches are left now.
        queue().deadline(PAUSE_MILLIS, this::resume);
      }
    }
  }

  /**
   * @return false if no peer waits
   * @throws ProviderException if this process lacks descriptors or memory
   */
  protected abstract boolean acceptNext();

  /** Starts or ends calls of {@link #acceptWaiting} when peers wait. */
  protected abstract void watch(boolean on);
}
