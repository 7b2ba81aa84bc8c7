package io.github.vertxrdma.provider;

/**
 * Queue to which receives are posted: an endpoint's own, or shared by the endpoints of a completion queue. Confined to the queue's thread.
 */
public interface ReceiveQueue extends AutoCloseable {

  /** Returns the maximum number of posted receives. */
  int capacity();

  boolean shared();

  /**
   * Posts a receive; ibv_post_recv(3), ibv_post_srq_recv(3), fi_recv(3). The device owns the range until its completion, or until the close
   * of the queue (for an endpoint's own queue: of the endpoint) returned.
   *
   * @param requestId id in the completion
   * @param region null for a receive without memory, with {@link Capabilities#receivesInPlace()}: its message is in {@link
   * CompletionBatch#memory}
   * @param offset 0 without a region
   * @param length bytes; a longer message completes with {@link Status#LENGTH}
   * @return {@link Status#OK} or a negative status
   */
  int post(long requestId, MemoryRegion region, long offset, int length);

  /** Closes a shared queue, after the endpoints that use it; has no effect on an endpoint's own. */
  @Override
  void close();
}
