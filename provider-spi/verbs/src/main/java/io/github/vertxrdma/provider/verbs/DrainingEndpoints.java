package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Closed endpoints that used a shared receive queue. Such a queue pair must not be destroyed before it has taken its last receive
 * (IBV_EVENT_QP_LAST_WQE_REACHED, InfiniBand specification 11.6.3.2, or a deadline) and the completion queue was drained after that: some
 * devices would drop completions (mlx5_cq_clean of rdma-core), and it would be unknown which receives were taken. Confined to the
 * completion queue's thread.
 */
final class DrainingEndpoints {
  private final VerbsCompletionQueue queue;
  private final List<VerbsEndpoint> endpoints = new ArrayList<>();

  DrainingEndpoints(VerbsCompletionQueue queue) {
    this.queue = queue;
  }

  void add(VerbsEndpoint endpoint) {
    endpoints.add(endpoint);
    queue.events().start(endpoint.deadline(EndpointDeadline.Kind.LAST_RECEIVE));
  }

  /** @param past the count of rounds whose completions are reported */
  void destroy(long past) {
    if (!endpoints.isEmpty()) {
      List.copyOf(endpoints).stream().filter(endpoint -> endpoint.hasTakenLastReceive(past)).forEach(this::destroy);
    }
  }

  /** Creates an object. If the device has no room, destroys waiting queue pairs first, which blocks. */
  <T> T makeRoom(Supplier<T> maker) {
    try {
      return maker.get();
    } catch (ProviderException e) {
      VerbsThread control = queue.control();
      if (e.reason() != ProviderException.Reason.LIMIT || !(queue.spares().clear() || !endpoints.isEmpty() || control.busy())) {
        throw e;
      }
      destroyAll();
      control.await();
      return maker.get();
    }
  }

  void destroyAll() {
    List.copyOf(endpoints).forEach(this::destroy);
  }

  private void destroy(VerbsEndpoint endpoint) {
    endpoints.remove(endpoint);
    queue.events().forget(endpoint);
    endpoint.destroy();
  }
}
