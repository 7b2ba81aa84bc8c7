package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.Endpoint;
import io.vertx.core.Future;

/**
 * Limits the receives that a loop's links grant their peers. If a shared receive queue is full, new links are refused. With a queue per
 * endpoint, later links get smaller grants.
 */
public final class ReceiveBudget {
  /** Capacity of all separate queues together: 512 MiB at default size. Beyond an eighth, links get smaller first grants. */
  private static final int OWN_RECEIVES = 1 << 15;
  /** Maximum bytes of all receives granted beyond first grants. */
  private static final int GROWN_BYTES = 64 << 20;

  private final DeviceLoop loop;
  private PostedReceives shared;
  private int ownGranted;
  private int grown;

  ReceiveBudget(DeviceLoop loop) {
    this.loop = loop;
  }

  void shared(PostedReceives receives) {
    shared = receives;
  }

  /** Returns null if each endpoint has its own queue. */
  PostedReceives shared() {
    return shared;
  }

  public PostedReceives of(Endpoint endpoint) {
    return shared != null ? shared : new PostedReceives(loop, endpoint.receiveQueue(), 0);
  }

  Grant first() {
    return shared == null ? Grant.of(loop.options, ownGranted, OWN_RECEIVES)
      : Grant.of(loop.options, shared.granted(), shared.queue.capacity());
  }

  /**
   * Reserves the receives of a new link's handshake. The link posts them, or calls {@link #cancel}.
   *
   * @return number of slots to post
   */
  public Future<Integer> handshake() {
    int receives = Grant.HANDSHAKE.receives();
    if (shared == null) {
      ownGranted += receives;
      return reserve(receives);
    }
    return shared.left() < receives ? Future.failedFuture(full(Grant.HANDSHAKE)) : reserve(shared.promise(receives));
  }

  RdmaException full(Grant wanted) {
    return new RdmaException(Reason.LIMIT, "no room for another connection on " + loop.domain.device().name()
      + ": " + loop.endpoints.all().size() + " connections have " + shared.granted() + " of the " + shared.queue.capacity()
      + " receives of this event loop, and one more needs " + wanted.receives() + ". Close some, or raise maxRdmLoops");
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

  public void cancel(int slots) {
    loop.memory.receiveSlots.unreserve(slots);
    withdraw(slots);
  }

  /** Counts receives that a link with its own queue grants after the handshake. */
  void granted(int receives) {
    if (shared == null) {
      ownGranted += receives;
    }
  }

  int left() {
    return GROWN_BYTES / loop.options.bufferSize() - grown;
  }

  /** Returns how many more receives a link may grant. @param has its receives beyond the first grant */
  int share(int has) {
    return left() / Grant.PART - has;
  }

  /** @param receives negative if they are given back */
  void grow(int receives) {
    grown += receives;
  }
}
