package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A listener, and its requests that are not answered. */
final class InMemoryListener implements Listener {
  final InMemoryDomain domain;
  final InMemoryQueue queue;
  private final ListenHandler handler;
  private final EndpointAddress address;
  /** Requests that are not answered, in the order of arrival. */
  private final Set<InMemoryRequest> unanswered = Collections.synchronizedSet(new LinkedHashSet<>());
  private volatile boolean closed;

  InMemoryListener(InMemoryDomain domain, InMemoryQueue queue, EndpointAddress local, ListenHandler handler) {
    this.domain = domain;
    this.queue = queue;
    this.handler = handler;
    address = domain.fabric().bind(local, this);
    queue.adopt(this);
  }

  /** Called on the polling thread when a request arrives. */
  void requested(InMemoryRequest request) {
    if (closed) {
      request.refuse();
      return;
    }
    unanswered.add(request);
    queue.event(request, () -> {
      if (closed) {
        request.refuse();
      } else {
        handler.connectionRequest(request);
      }
    });
  }

  void answered(InMemoryRequest request) {
    unanswered.remove(request);
  }

  @Override
  public EndpointAddress localAddress() {
    return address;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    domain.fabric().unbind(address, this);
    for (InMemoryRequest request : List.copyOf(unanswered)) {
      request.rejectUnanswered();
    }
    queue.abandon(this);
  }
}
