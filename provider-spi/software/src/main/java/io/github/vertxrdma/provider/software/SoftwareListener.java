package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.base.Admission;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.ProviderException;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Tells of connection requests whose peers have said what they want. */
public abstract class SoftwareListener<Q extends SoftwareQueue> implements Listener {
  /** Connections that may wait to be taken. */
  protected static final int BACKLOG = 1024;
  /** Peers accepted in one poll, at most. */
  private static final int TURN = 64;
  private static final int PAUSE_MILLIS = 100;
  /** Peers that have not said what they want. */
  private static final int MOST_SILENT = 1024;

  private final Q queue;
  private final ListenHandler handler;
  /** Requests that are not answered; those are answered on other threads too. */
  private final Set<SoftwareRequest<?>> requests = ConcurrentHashMap.newKeySet();
  final Admission<SoftwareRequest<?>> silent = new Admission<>(MOST_SILENT, MOST_SILENT);
  private boolean closed;

  protected SoftwareListener(Q queue, ListenHandler handler) {
    this.queue = queue;
    this.handler = handler;
  }

  public final Q queue() {
    return queue;
  }

  protected final <T extends SoftwareRequest<?>> T add(T request) {
    requests.add(request);
    return request;
  }

  /** Accepts peers that wait, at most so many that others have their turn. @return false if no more peers can be accepted now */
  protected final boolean acceptWaiting() {
    for (int i = 0; i < TURN && !closed; i++) {
      try {
        if (!acceptNext()) {
          return false;
        }
      } catch (IOException | ProviderException e) {
        // Out of descriptors or memory: those that wait stay in the backlog for a while.
        watch(false);
        queue.deadline(PAUSE_MILLIS, this::resume);
        return false;
      }
    }
    return !closed;
  }

  private void resume() {
    if (!closed) {
      try {
        watch(true);
      } catch (ProviderException e) {
        // There are no epoll watches left now: the queue serves others meanwhile.
        queue.deadline(PAUSE_MILLIS, this::resume);
      }
    }
  }

  /** Accepts the next peer, and makes its connection request. @return false if none waits */
  protected abstract boolean acceptNext() throws IOException;

  /** Starts or ends calling {@link #acceptWaiting} when peers wait. */
  protected abstract void watch(boolean on);

  final void complete(SoftwareRequest<?> request) {
    queue.requested(() -> {
      if (!closed) {
        handler.connectionRequest(request);
      }
    });
  }

  final void forget(SoftwareRequest<?> request) {
    requests.remove(request);
  }

  @Override
  public final void close() {
    if (!closed) {
      closed = true;
      closeSocket();
      List.copyOf(requests).forEach(SoftwareRequest::abandon);
      queue.remove(this);
    }
  }

  protected abstract void closeSocket();
}
