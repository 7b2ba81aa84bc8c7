package io.github.vertxrdma.provider;

/**
 * A queue that receives are posted to: an endpoint's own, or shared by the endpoints of a completion queue. Confined to the queue's thread.
 */
public interface ReceiveQueue extends AutoCloseable {

  /** Receives that may be posted at once. */
  int capacity();

  boolean shared();

  /**
   * Posts a receive; ibv_post_recv(3), ibv_post_srq_recv(3), fi_recv(3). The range is the device's until its completion, or until
   * the queue's (for an endpoint's own queue: the endpoint's) close returned.
   *
   * @param requestId comes back in the completion
   * @param region null for a receive without memory, where {@link Capabilities#receivesInPlace()}: its message lies in
   *   {@link CompletionBatch#memory}
   * @param offset 0 without a region
   * @param length bytes; a longer message completes with {@link Status#LENGTH}
   * @return {@link Status#OK} or a negative status
   */
  int post(long requestId, MemoryRegion region, long offset, int length);

  /** Closes a shared queue, after the endpoints that use it; does nothing for an endpoint's own. */
  @Override
  void close();
}
