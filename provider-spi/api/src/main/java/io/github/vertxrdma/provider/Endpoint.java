package io.github.vertxrdma.provider;

import java.lang.foreign.MemorySegment;

/**
 * One end of a connection. Confined to the thread of its completion queue.
 *
 * <p>Posts never throw or block. The device owns the memory of an operation until a poll returns the completion of this or a later
 * signalled operation; after {@link #close} until {@link #outstanding} is 0. A post with a negative status has no completion.
 */
public interface Endpoint extends AutoCloseable {

  EndpointState state();

  /** Returns the cause of {@link EndpointState#BROKEN}, or of {@link Status#FAILED} from the last post; otherwise null. */
  ProviderException failure();

  CompletionQueue completionQueue();

  ReceiveQueue receiveQueue();

  EndpointAddress localAddress();

  EndpointAddress remoteAddress();

  /** Returns the maximum size in bytes of a post with {@link PostFlags#INLINE}. */
  int inlineSize();

  int sendDepth();

  /** Returns the maximum outstanding reads and atomics. */
  int readsInFlight();

  /** Returns the number of posted operations that are not completed; after {@link #close}, 0 once the device owns no memory of them. */
  int outstanding();

  /** Sets how many receives of a shared queue the peer may use. If messages may arrive out of order, using more fails the connection. */
  default void granted(int receives) {
  }

  /**
   * Connects, and calls the handler after success or failure. Receives may be posted before.
   *
   * @param privateData at most {@link Limits#privateData()} bytes
   * @throws ProviderException if the connect fails immediately
   * @throws IllegalStateException if the state is not {@link EndpointState#INIT}
   */
  void connect(EndpointAddress remote, byte[] privateData);

  /**
   * Returns both ends' addresses as the kernel reports them, the connecting side first; empty if unknown. Both sides get the same bytes
   * unless a process relays the connection, which authentication can detect (channel binding, RFC 5056).
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
   * Reserves space for a message in memory that the peer has mapped. The caller writes the message to {@link #claimed} and calls {@link
   * #sendClaimed}. The next poll of the completion queue, or other call to its endpoints or receive queues, ends the reservation.
   *
   * @return offset in {@link #claimed}; -1 if there is no space or no such memory
   */
  default long claim(int length) {
    return -1;
  }

  default MemorySegment claimed() {
    return null;
  }

  /**
   * Sends the claimed message. The send is done on return, without a completion ({@link Status#DONE}).
   *
   * @param length at most the claimed bytes
   */
  default void sendClaimed(int length) {
    throw new IllegalStateException("cannot send the claimed message: no memory is claimed. Call claim before");
  }

  /**
   * Posts the operations delayed because of {@link PostFlags#MORE}.
   *
   * @return {@link Status#OK} or a negative status
   */
  int flush();

  /** Ends the connection. The handlers of both sides are called. */
  void disconnect();

  /**
   * Makes the endpoint {@link EndpointState#BROKEN} because the caller knows that the peer is dead. Calls the handler. Operations are
   * flushed if the fabric returns them.
   */
  void peerDead(String reason);

  /** Destroys the endpoint. Its handler is no longer called. A poll may return completions of outstanding operations. Idempotent. */
  @Override
  void close();
}
