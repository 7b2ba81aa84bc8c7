package io.github.vertxrdma.provider;

/** Queue of receives, an endpoint's own or shared by endpoints of a completion queue. Confined to the queue's thread. */
public interface ReceiveQueue extends AutoCloseable {

  int capacity();

  boolean shared();

  /**
   * Posts a receive; ibv_post_recv(3), fi_recv(3). The device owns the range until its completion, or until the queue or, for its own
   * queue, the endpoint is closed.
   *
   * @param region null for a receive without memory, with {@link Capabilities#receivesInPlace()}
   * @param offset 0 without a region
   * @param length bytes; a longer message completes with {@link Status#LENGTH}
   * @return {@link Status#OK} or a negative status
   */
  int post(long requestId, MemoryRegion region, long offset, int length);

  /** Closes a shared queue, after its endpoints. */
  @Override
  void close();
}
