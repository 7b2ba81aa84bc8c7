package io.github.vertxrdma.provider;

import java.lang.foreign.MemorySegment;

/**
 * One end of a connection: a queue pair, or a peer of an RDM endpoint. Confined to the thread of its completion queue.
 *
 * <p>Posts return {@link Status#OK}, {@link Status#DONE} or a negative status, and never throw, allocate or block. The device owns the
 * ranges of a post until the completion of the operation, or of a later signalled one of the same endpoint that covers it, is drained; or
 * until {@link #close} returned and {@link #outstanding} is 0. A refused operation makes no completion.
 */
public interface Endpoint extends AutoCloseable {

  EndpointState state();

  /** Returns why it is {@link EndpointState#BROKEN}, or why the last post {@link Status#FAILED}; otherwise null. */
  ProviderException failure();

  CompletionQueue completionQueue();

  ReceiveQueue receiveQueue();

  EndpointAddress localAddress();

  EndpointAddress remoteAddress();

  /** Returns the bytes that may be sent with {@link PostFlags#INLINE}, as returned by the creation, not as requested. */
  int inlineSize();

  /** Returns the maximum number of outstanding work requests. */
  int sendDepth();

  /** Returns the maximum number of outstanding reads and atomics, as negotiated. */
  int readsInFlight();

  /** Returns the number of posted operations that have not ended; after {@link #close} the number of those that the fabric still owns. */
  int outstanding();

  /**
   * Sets the number of receives of a shared queue that the peer may use, in place of {@link EndpointOptions#receiveDepth()}. A provider
   * that puts messages in order keeps no more of them for this peer, so that one peer cannot occupy the receives of others; a peer that
   * sends more loses its connection.
   */
  default void granted(int receives) {
  }

  /**
   * Connects. The handler is notified of success or failure. Receives may be posted before.
   *
   * @param privateData at most {@link Limits#privateData()} bytes
   * @throws ProviderException if it fails at once
   * @throws IllegalStateException if it is not {@link EndpointState#INIT}
   */
  void connect(EndpointAddress remote, byte[] privateData);

  /**
   * Returns what the kernel reports about both ends of a connected endpoint, the connector's first. Both sides get the same bytes unless a
   * process between them relays the connection, so proofs of the peers cover it (channel binding, RFC 5056). Empty if nothing is reported.
   */
  default byte[] channelBinding() {
    return new byte[0];
  }

  /**
   * Posts an operation; ibv_post_send(3), fi_sendmsg of fi_msg(3), fi_writemsg and fi_readmsg of fi_rma(3), fi_fetch_atomicmsg and
   * fi_compare_atomicmsg of fi_atomic(3).
   *
   * @param request may be reused when this returns
   * @return {@link Status#OK}, {@link Status#DONE} or a negative status
   */
  int post(WorkRequest request);

  /**
   * Reserves room for a message in memory that the peer has mapped. The caller writes the message to {@link #claimed} and sends it by
   * {@link #sendClaimed}, so its bytes are copied once. A claim ends with the next call of any endpoint or receive queue of the same
   * completion queue, and with its next poll; the bytes of a claim that was not sent are discarded.
   *
   * @param length maximum bytes of the message
   * @return offset in {@link #claimed}; -1 if there is no room now or the endpoint has no such memory, in which case the message is posted
   */
  default long claim(int length) {
    return -1;
  }

  /** Returns the memory of the last successful {@link #claim}. */
  default MemorySegment claimed() {
    return null;
  }

  /**
   * Sends the last claimed message. It is sent when this returns, like a post that is {@link Status#DONE}, and makes no completion.
   *
   * @param length bytes of the message, at most those that were claimed
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

  /** Returns a counter of this endpoint. */
  Counter counter(Counter.Event event);

  /** Ends the connection and notifies the peer. The handlers of both sides are notified. */
  void disconnect();

  /**
   * Reports that the peer is dead, as found by another channel. The endpoint becomes {@link EndpointState#BROKEN}, the handler is notified,
   * and outstanding operations are flushed if the fabric returns them.
   */
  void peerDead(String reason);

  /**
   * Destroys it. Its handler is not called any more, and no completion of it is delivered, except of those {@link #outstanding}.
   * Idempotent.
   */
  @Override
  void close();
}
