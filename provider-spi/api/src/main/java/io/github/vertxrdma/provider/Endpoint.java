package io.github.vertxrdma.provider;

import java.lang.foreign.MemorySegment;

/**
 * One end of a connection. Confined to the thread of its completion queue.
 *
 * <p>Posts never throw, allocate or block. The device owns a post's ranges until a completion that covers it is drained: its own, or a
 * later signalled one. After {@link #close} it owns them until {@link #outstanding} is 0. A refused operation makes no completion.
 */
public interface Endpoint extends AutoCloseable {

  EndpointState state();

  /** Returns the cause of {@link EndpointState#BROKEN}, or of {@link Status#FAILED} of the last post; otherwise null. */
  ProviderException failure();

  CompletionQueue completionQueue();

  ReceiveQueue receiveQueue();

  EndpointAddress localAddress();

  EndpointAddress remoteAddress();

  /** Returns the maximum of bytes for {@link PostFlags#INLINE}. */
  int inlineSize();

  int sendDepth();

  /** Returns the maximum of outstanding reads and atomics. */
  int readsInFlight();

  /** Returns the number of posted operations that have not ended; after {@link #close}, of those that the fabric still owns. */
  int outstanding();

  /**
   * Sets the number of receives of a shared queue that the peer may use. A provider that puts messages in order ends the connection of a
   * peer that sends more.
   */
  default void granted(int receives) {
  }

  /**
   * Connects, and notifies the handler of success or failure. Receives may be posted before.
   *
   * @param privateData at most {@link Limits#privateData()} bytes
   * @throws ProviderException if it fails at once
   * @throws IllegalStateException if it is not {@link EndpointState#INIT}
   */
  void connect(EndpointAddress remote, byte[] privateData);

  /**
   * Returns the kernel's description of both ends, the connector's first; otherwise empty. Both sides get the same bytes unless a process
   * relays the connection, so their proofs cover it (channel binding, RFC 5056).
   */
  default byte[] channelBinding() {
    return new byte[0];
  }

  /**
   * Posts an operation; ibv_post_send(3), fi_msg(3), fi_rma(3), fi_atomic(3).
   *
   * @return {@link Status#OK}, {@link Status#DONE} or a negative status
   */
  int post(WorkRequest request);

  /**
   * Reserves room for a message in memory that the peer has mapped. The caller writes it to {@link #claimed} and calls {@link
   * #sendClaimed}. A claim ends with the next poll or other call of an endpoint or receive queue of the same completion queue.
   *
   * @return offset in {@link #claimed}; -1 if the message has to be posted, because there is no room or no such memory
   */
  default long claim(int length) {
    return -1;
  }

  default MemorySegment claimed() {
    return null;
  }

  /**
   * Sends the claimed message, like a post that is {@link Status#DONE}.
   *
   * @param length at most the claimed bytes
   */
  default void sendClaimed(int length) {
    throw new IllegalStateException("nothing is claimed");
  }

  /**
   * Posts the operations that {@link PostFlags#MORE} held back.
   *
   * @return {@link Status#OK} or a negative status
   */
  int flush();

  Counter counter(Counter.Event event);

  /** Ends the connection. The handlers of both sides are notified. */
  void disconnect();

  /**
   * Makes the endpoint {@link EndpointState#BROKEN} because another channel found the peer dead. The handler is notified, and outstanding
   * operations are flushed if the fabric returns them.
   */
  void peerDead(String reason);

  /** Destroys it. The handler is not called any more, and only operations {@link #outstanding} complete. Idempotent. */
  @Override
  void close();
}
