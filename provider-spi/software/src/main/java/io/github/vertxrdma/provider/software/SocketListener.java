package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.ProviderException;
import java.io.IOException;

/** A listener whose peers wait at a socket to be accepted. */
public abstract class SocketListener<Q extends SoftwareQueue> extends SoftwareListener<Q> {
  protected static final int BACKLOG = 1024;
  private static final int TURN = 64;
  private static final int PAUSE_MILLIS = 100;

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
      } catch (IOException | ProviderException e) {
        // Out of descriptors or memory: peers stay in the backlog for a while.
        watch(false);
        queue().deadline(PAUSE_MILLIS, this::resume);
        return false;
      }
    }
    return !isClosed();
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

  /** @return false if no peer waits */
  protected abstract boolean acceptNext() throws IOException;

  /** Starts or ends calls of {@link #acceptWaiting} when peers wait. */
  protected abstract void watch(boolean on);
}
