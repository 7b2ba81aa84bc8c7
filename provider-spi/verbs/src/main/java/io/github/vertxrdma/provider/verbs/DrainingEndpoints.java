package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Closed endpoints whose queue pairs took receives of a shared queue. A queue pair is destroyed when the device has reported that it took
 * its last receive (IBV_EVENT_QP_LAST_WQE_REACHED, InfiniBand specification 11.6.3.2), or should have, and the completion queue was drained
 * since. If it is destroyed earlier, some devices drop the completions with it (mlx5_cq_clean of rdma-core), and the receives that it took
 * are unknown. Confined to the completion queue's thread.
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

  /** If the device has no room, destroys queue pairs that only wait, which blocks. */
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
