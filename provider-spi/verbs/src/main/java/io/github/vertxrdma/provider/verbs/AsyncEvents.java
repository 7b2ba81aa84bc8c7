package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Reads a device's asynchronous events and passes them to the affected endpoints and completion queues; ibv_get_async_event(3).
 * Thread-safe.
 */
final class AsyncEvents {
  private final VerbsDomain domain;
  final int fd;
  /** Endpoints by the address of their queue pair. */
  final Map<Long, VerbsEndpoint> endpoints = new ConcurrentHashMap<>();
  private final long event = Memory.allocate(ASYNC_ROOM);
  /** Describes the last event of a port that may explain the end of connections; otherwise empty. */
  volatile String portEvent = "";
  /** Describes why the device cannot be used now; otherwise empty. */
  volatile String outage = "";
  /** Failure of the device, or null while it works. Set after all endpoints were notified. */
  volatile ProviderException lost;
  /** Number of events that may have changed the port's addresses. */
  volatile int portChanges;

  AsyncEvents(VerbsDomain domain) {
    this.domain = domain;
    fd = Memory.getInt(domain.context + CONTEXT_ASYNC_FD);
    FileDescriptor.nonBlocking(fd);
  }

  synchronized void turn() {
    while (Calls.number(domain.verbs.getAsyncEvent, domain.context, event) == 0) {
      int type = Memory.getInt(event + ASYNC_TYPE);
      long element = Memory.getLong(event + ASYNC_ELEMENT);
      // Acknowledges the event first, because ibv_destroy_qp(3) waits for the acknowledgement.
      Calls.pointer(domain.verbs.ackAsyncEvent, event);
      happened(type, element);
    }
  }

  private void happened(int type, long element) {
    AsyncEvent what = AsyncEvent.of(type);
    if (what.explains() || what == AsyncEvent.PORT_ACTIVE) {
      portChanges++;
    }
    switch (what.ends) {
      case QUEUE_PAIR -> tell(endpoints.get(element), what, type);
      case COMPLETION_QUEUE -> domain.queues.forEach(queue -> queue.events.tell(() -> queue.lost(element, words(what, type))));
      case ALL -> {
        endpoints.values().forEach(endpoint -> tell(endpoint, what, type));
        if (what == AsyncEvent.DEVICE_FATAL) {
          outage = domain.device().name() + ": IBV_EVENT_" + what + ", " + what.words;
          lost = new ProviderException(ProviderException.Reason.MISSING, outage);
          domain.queues.forEach(queue -> queue.events.tell(() -> {
          }));
        }
      }
      case NOTHING -> {
        // These events end no connection. The messages of later failures include portEvent.
        if (what == AsyncEvent.PORT_ACTIVE) {
          portEvent = "";
          portState((int) element, "");
        } else if (what.explains()) {
          String words = "port " + (int) element + " of " + domain.device().name() + ": IBV_EVENT_" + what + ", " + what.words;
          portEvent = "; " + words;
          if (what == AsyncEvent.PORT_ERR) {
            portState((int) element, words);
          }
        }
      }
    }
  }

  private void portState(int port, String words) {
    if (port == domain.device().port.number() && lost == null) {
      outage = words;
    }
  }

  private void tell(VerbsEndpoint endpoint, AsyncEvent what, int type) {
    if (endpoint != null) {
      endpoint.queue.events.tell(() -> endpoint.broke(new ProviderException(what == AsyncEvent.DEVICE_FATAL
        ? ProviderException.Reason.MISSING : ProviderException.Reason.OTHER,
        endpoint.named() + ": " + words(what, type))));
    }
  }

  private static String words(AsyncEvent what, int type) {
    return "IBV_EVENT_" + what + " (" + type + ") ended the connection: " + what.words;
  }

  void close() {
    Memory.free(event);
  }
}
