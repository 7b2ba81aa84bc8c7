package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Closed endpoints that used a shared receive queue. Their queue pairs are destroyed after they have taken their last receive
 * (IBV_EVENT_QP_LAST_WQE_REACHED, InfiniBand specification 11.6.3.2, or a deadline) and the completion queue was drained after that.
 * Otherwise some devices drop completions (mlx5_cq_clean of rdma-core), and it is unknown which receives were taken. Confined to the
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

  /** Destroys queue pairs that are drained. @param past last reported round; see {@link VerbsCompletionQueue#rounds} */
  void destroy(long past) {
    if (!endpoints.isEmpty()) {
      List.copyOf(endpoints).stream().filter(endpoint -> endpoint.hasTakenLastReceive(past)).forEach(this::destroy);
    }
  }

  /** Creates a native object. If the device has no room, first destroys spare and drained queue pairs, which blocks. */
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
