package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Asynchronous events of a device; ibv_get_async_event(3). There is one stream of them per context, so whichever completion queue
 * looks first takes them and passes each on to the thread it concerns. From any thread.
 */
final class AsyncEvents {
  private final VerbsDomain domain;
  private final int fd;
  private final Map<Long, VerbsEndpoint> endpoints = new ConcurrentHashMap<>();
  private final long event = Memory.allocate(ASYNC_ROOM);
  private volatile String portEvent = "";

  AsyncEvents(VerbsDomain domain) {
    this.domain = domain;
    fd = Memory.getInt(domain.context() + CONTEXT_ASYNC_FD);
    FileDescriptor.nonBlocking(fd);
  }

  int fd() {
    return fd;
  }

  void add(VerbsEndpoint endpoint) {
    endpoints.put(endpoint.queuePair(), endpoint);
  }

  void remove(VerbsEndpoint endpoint) {
    endpoints.remove(endpoint.queuePair(), endpoint);
  }

  int endpoints() {
    return endpoints.size();
  }

  /** What last happened to the port, to be added to the reason of an end; empty if nothing did. */
  String lastPortEvent() {
    return portEvent;
  }

  /** Takes the events that are there. */
  synchronized void turn() {
    while (Calls.number(domain.verbs().getAsyncEvent, domain.context(), event) == 0) {
      int type = Memory.getInt(event + ASYNC_TYPE);
      long element = Memory.getLong(event + ASYNC_ELEMENT);
      // Destroying a queue pair waits for the acknowledgement of its events, so it comes first.
      Calls.pointer(domain.verbs().ackAsyncEvent, event);
      happened(type, element);
    }
  }

  private void happened(int type, long element) {
    switch (type) {
      case EVENT_QP_FATAL, EVENT_QP_REQ_ERR, EVENT_QP_ACCESS_ERR, EVENT_PATH_MIG_ERR -> tell(endpoints.get(element), type);
      case EVENT_COMM_EST, EVENT_SQ_DRAINED, EVENT_LAST_WQE -> {
        // Said by a first message, and by completions, as well.
      }
      case EVENT_DEVICE_FATAL, EVENT_CQ_ERR, EVENT_SRQ_ERR -> endpoints.values().forEach(endpoint -> tell(endpoint, type));
      case EVENT_PORT_ERR -> portEvent = "; port " + (int) element + " of " + domain.device().name() + " is down: check link and cable";
      case EVENT_PORT_ACTIVE -> portEvent = "";
      default -> {
        // Changes of LID, P_Key, GID or subnet manager: connections that they break say so themselves.
      }
    }
  }

  private void tell(VerbsEndpoint endpoint, int type) {
    if (endpoint != null) {
      endpoint.queue().events().tell(() -> endpoint.broke(new ProviderException(ProviderException.Reason.OTHER,
        endpoint.named() + ": the device reports '" + domain.verbs().eventType(type) + "' and ended the connection"
          + (type == EVENT_QP_ACCESS_ERR || type == EVENT_QP_REQ_ERR ? "; the peer asked for what this side does not allow" : ""))));
    }
  }

  void close() {
    Memory.free(event);
  }
}
