package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.base.Admission;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

public abstract class SoftwareListener<Q extends SoftwareQueue> implements Listener {
  private static final int MOST_INCOMPLETE = 1024;

  private final Q queue;
  private final ListenHandler handler;
  private final Set<SoftwareRequest<?>> requests = Collections.synchronizedSet(new LinkedHashSet<>());
  final Admission<SoftwareRequest<?>> incomplete = new Admission<>(MOST_INCOMPLETE, MOST_INCOMPLETE);
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
      release();
      List.copyOf(requests).forEach(SoftwareRequest::abandon);
      queue.remove(this);
    }
  }

  protected abstract void release();
}
