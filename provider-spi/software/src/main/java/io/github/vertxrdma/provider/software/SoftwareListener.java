package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.base.Admission;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Tells of connection requests whose peers have said what they want. */
public abstract class SoftwareListener<Q extends SoftwareQueue> implements Listener {
  /** Connections that may wait to be taken. */
  protected static final int BACKLOG = 1024;
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

  protected final boolean isClosed() {
    return closed;
  }

  protected final <T extends SoftwareRequest<?>> T add(T request) {
    requests.add(request);
    return request;
  }

  /** Goes on later: out of descriptors or memory those that wait stay in the backlog for a while. */
  protected final void pause(Runnable resume) {
    queue.deadline(PAUSE_MILLIS, () -> {
      if (!closed) {
        resume.run();
      }
    });
  }

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
