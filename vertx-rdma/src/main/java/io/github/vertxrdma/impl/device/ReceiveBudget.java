package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.Endpoint;
import io.vertx.core.Future;

/**
 * Bounds the receives of all links of a loop: by the capacity of the queue that they share, or by a number where endpoints have queues of
 * their own. Confined to the loop.
 */
public final class ReceiveBudget {
  /** Receives of all endpoints that have queues of their own: 512 MiB of them. */
  private static final int OWN_RECEIVES = 1 << 15;
  /** Bytes of receives that links of a loop are granted beyond their first grant. */
  private static final int GROWN_BYTES = 64 << 20;

  private final DeviceLoop loop;
  private PostedReceives shared;
  private int ownGranted;
  private int grown;

  ReceiveBudget(DeviceLoop loop) {
    this.loop = loop;
  }

  /** Sets the receives that all endpoints share. */
  void shared(PostedReceives receives) {
    shared = receives;
  }

  /** Receives that all endpoints share; null where each has its own. */
  PostedReceives shared() {
    return shared;
  }

  /** Receives of a new endpoint. */
  public PostedReceives of(Endpoint endpoint) {
    return shared != null ? shared : new PostedReceives(loop, endpoint.receiveQueue(), 0);
  }

  /** Grant that a new link begins with. */
  Grant first() {
    return shared == null ? Grant.of(loop.options, ownGranted, OWN_RECEIVES) : Grant.of(loop.options, shared.granted(), shared.capacity());
  }

  /**
   * Sets aside the receives of a new link's handshake, registering memory off the loop if need be. The link posts them, or {@link #cancel}
   * takes them back.
   *
   * @return receive slots of the loop's pool that will be posted for them
   */
  public Future<Integer> handshake() {
    int receives = Grant.HANDSHAKE.receives();
    if (shared == null) {
      ownGranted += receives;
      return reserve(receives);
    }
    return shared.left() < receives ? Future.failedFuture(full(Grant.HANDSHAKE)) : reserve(shared.promise(receives));
  }

  /** Error for a grant that the shared queue has no room for. */
  RdmaException full(Grant wanted) {
    return new RdmaException(Reason.LIMIT, "no room for another connection on " + loop.domain.device().name()
      + ": the receive queue of this event loop holds " + shared.capacity() + ", " + shared.granted() + " are granted to "
      + loop.endpoints.all().size()
      + " connections and one more needs " + wanted.receives() + "; close some, or use more event loops (maxRdmLoops)");
  }

  private Future<Integer> reserve(int slots) {
    return loop.memory.reserveReceives(slots).map(slots).onFailure(cause -> withdraw(slots));
  }

  private void withdraw(int slots) {
    if (shared == null) {
      ownGranted -= Grant.HANDSHAKE.receives();
    } else {
      shared.withdraw(Grant.HANDSHAKE.receives(), slots);
    }
  }

  /** Takes back what was set aside for a handshake of which no link was made. */
  public void cancel(int slots) {
    loop.memory.receiveSlots.unreserve(slots);
    withdraw(slots);
  }

  /** Counts receives that a link with a queue of its own was granted after its handshake; negative if they are taken back. */
  void granted(int receives) {
    if (shared == null) {
      ownGranted += receives;
    }
  }

  /** Receives that links may still be granted beyond their first grants. */
  int left() {
    return GROWN_BYTES / loop.options.bufferSize() - grown;
  }

  /** Receives that a link may be granted so now: it has no more than an eighth of what is left. @param has those that it has so */
  int share(int has) {
    return left() / Grant.PART - has;
  }

  /** Counts growth beyond first grants. */
  void grow(int receives) {
    grown += receives;
  }

  void shrink(int receives) {
    grown -= receives;
  }
}
