package io.github.vertxrdma.provider;

import java.lang.foreign.MemorySegment;

/**
 * One end of a connection: a queue pair, or a peer of an RDM endpoint. Confined to the thread of its completion queue.
 *
 * <p>Posts return {@link Status#OK}, {@link Status#DONE} or a negative status, and never throw, allocate or block. The ranges they name
 * belong to the device until the completion of the operation, or of a later signalled one of the same endpoint that covers it, is drained;
 * or until {@link #close} returned and {@link #outstanding} is 0. An operation that was refused makes no completion.
 */
public interface Endpoint extends AutoCloseable {

  EndpointState state();

  /** Why it is {@link EndpointState#BROKEN}, or why the last post {@link Status#FAILED}; null otherwise. */
  ProviderException failure();

  CompletionQueue completionQueue();

  ReceiveQueue receiveQueue();

  EndpointAddress localAddress();

  EndpointAddress remoteAddress();

  /** Bytes that may be sent with {@link PostFlags#INLINE}; what creation returned, not what was asked for. */
  int inlineSize();

  /** Work requests that may be outstanding. */
  int sendDepth();

  /** Reads and atomics that may be outstanding, as negotiated. */
  int readsInFlight();

  /** Operations posted whose end is not known; after {@link #close} those that the fabric still owns. */
  int outstanding();

  /**
   * Tells how many receives of a shared queue the peer may use, in place of {@link EndpointOptions#receiveDepth()}. A provider that puts
   * messages in order keeps no more of them for it, so that one peer cannot hold the receives of others; a peer that sends more loses its
   * connection.
   */
  default void granted(int receives) {
  }

  /**
   * Connects. The handler hears connected or failed. Receives may be posted before.
   *
   * @param privateData at most {@link Limits#privateData()} bytes
   * @throws ProviderException if it fails at once
   * @throws IllegalStateException if it is not {@link EndpointState#INIT}
   */
  void connect(EndpointAddress remote, byte[] privateData);

  /**
   * Posts an operation; ibv_post_send(3), fi_sendmsg of fi_msg(3), fi_writemsg and fi_readmsg of fi_rma(3), fi_fetch_atomicmsg and
   * fi_compare_atomicmsg of fi_atomic(3).
   *
   * @param request the caller's again when this returns
   * @return {@link Status#OK}, {@link Status#DONE} or a negative status
   */
  int post(WorkRequest request);

  /**
   * Finds room for a message in memory that the peer has mapped. The caller writes the message to {@link #claimed} and sends it by
   * {@link #sendClaimed}, so its bytes are copied once. A claim ends with the next call of any endpoint or receive queue of the same
   * completion queue, and with its next poll; the bytes of a claim that was not sent are forgotten.
   *
   * @param length bytes that the message has at most
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
   * Sends the message that was claimed last. It is sent when this returns, as a post that is {@link Status#DONE}, and makes no completion.
   *
   * @param length bytes of the message, at most those that were claimed
   */
  default void sendClaimed(int length) {
    throw new IllegalStateException("nothing is claimed");
  }

  /** Posts what {@link PostFlags#MORE} held back. Returns {@link Status#OK} or a negative status. */
  int flush();

  /** A counter of this endpoint. */
  Counter counter(Counter.Event event);

  /** Tells the peer that this is over; its handler hears disconnected, and so does this side's. */
  void disconnect();

  /**
   * What another channel learnt: the peer is dead. It becomes {@link EndpointState#BROKEN}, the handler hears disconnected, outstanding
   * operations are flushed as far as the fabric gives them back.
   */
  void peerDead(String reason);

  /**
   * Destroys it. Its handler hears nothing more, and no completion of it is delivered, except of those {@link #outstanding}. Idempotent.
   */
  @Override
  void close();
}
