package io.github.vertxrdma.provider;

/** Receives of one endpoint, or of several endpoints of one completion queue. Confined to the completion queue's thread. */
public interface ReceiveQueue extends AutoCloseable {

  int capacity();

  boolean shared();

  /**
   * Posts a receive; ibv_post_recv(3), fi_recv(3). The device owns the memory until the receive completes, or the queue or its only
   * endpoint is closed.
   *
   * @param region null for a receive without memory, with {@link Capabilities#receivesInPlace()}
   * @param offset 0 without a region
   * @param length bytes; a longer message completes with {@link Status#LENGTH}
   * @return {@link Status#OK} or a negative status
   */
  int post(long requestId, MemoryRegion region, long offset, int length);

  /** Closes a shared queue. Close its endpoints before. */
  @Override
  void close();
}
