package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.vertx.core.Future;

/**
 * Number of receives that a link grants its peer. It grows from the handshake to the first grant, to the grant of the options, and once
 * more for messages in segments.
 */
public final class ReceiveWindow {
  /** Maximum bytes of the additional receives for messages in segments. */
  private static final int BYTES = 3 << 19;
  /** Maximum number of these additional receives, less than an endpoint's send depth. */
  private static final int MAX_RECEIVES = 96;

  private final DeviceLoop loop;
  private final LoopEndpoint link;
  private final PostedReceives receives;
  private Grant first = Grant.HANDSHAKE;
  /** Grant without the receives of {@link #widen}. */
  private Grant reached = Grant.HANDSHAKE;
  private int grown;
  private boolean widened;
  private boolean pending;

  public ReceiveWindow(DeviceLoop loop, LoopEndpoint link, PostedReceives receives) {
    this.loop = loop;
    this.link = link;
    this.receives = receives;
  }

  /** Returns the maximum number of receives of {@link #widen}. */
  static int most(LoopOptions options) {
    return Math.min(MAX_RECEIVES, BYTES / options.bufferSize());
  }

  /** @param slots reserved for the handshake @return false if the queue cannot hold them */
  public boolean open(int slots) {
    loop.memory.receiveSlots.unreserve(slots);
    link.endpoint().granted(first.receives());
    return receives.post(receives.queue.shared() ? slots : receives.promise(first.receives()));
  }

  /** Posts the rest of the first grant, after the peer's authentication. @return the first grant, for the greeting */
  public Future<Grant> grantFirst() {
    Grant all = loop.intern(loop.budget.first());
    Grant more = all.minus(first);
    if (receives.left() < more.receives()) {
      return Future.failedFuture(receives.queue.shared() ? loop.budget.full(all) : new RdmaException(Reason.LIMIT, "the receive queue of "
        + loop.domain.device().name() + " holds only " + receives.queue.capacity() + " receives, and a connection needs "
        + all.receives() + ". Set fewer dataCredits or controlCredits"));
    }
    loop.budget.granted(more.receives());
    return post(more.receives()).transform(posted -> {
      if (posted.succeeded() && posted.result()) {
        first = all;
        link.endpoint().granted(all.receives());
        reached = all;
        return Future.succeededFuture(all);
      }
      loop.budget.granted(-more.receives());
      return Future.failedFuture(posted.failed() ? posted.cause() : new RdmaException(Reason.LIMIT, "the receive queue of "
        + loop.domain.device().name() + " has no room for the receives of another connection. Close some connections"));
    });
  }

  /** Posts receives. @return false if the queue has no room for them or the link has closed */
  private Future<Boolean> post(int count) {
    int slots = receives.promise(count);
    return loop.memory.reserveReceives(slots).transform(done -> {
      if (done.succeeded()) {
        loop.memory.receiveSlots.unreserve(slots);
      }
      if (done.failed() || link.isClosed()) {
        receives.withdraw(count, slots);
        return done.failed() ? Future.failedFuture(done.cause()) : Future.succeededFuture(false);
      }
      boolean posted = false;
      try {
        posted = receives.post(slots);
      } catch (Throwable e) {
        loop.broken(link, e);
      }
      if (!posted) {
        receives.withdraw(count, 0);
      }
      return Future.succeededFuture(posted);
    });
  }

  /** Grows towards the grant of the options if the budget permits. Called when the peer has used all its credits. */
  public void grow() {
    int wanted = loop.options.receives() - reached.receives();
    int room = Math.min(receives.spare(), loop.budget.share(grown));
    if (!pending && wanted > 0 && room > 0) {
      grant(Grant.of(loop.options).minus(reached).within(room), true);
    }
  }

  /** Grows once for a message in segments if the budget permits. */
  public void widen() {
    int most = most(loop.options);
    // With pinned memory, queues hold only the receives of the options.
    if (!pending && !widened && most > 0 && !loop.capabilities.pinned() && most <= Math.min(receives.spare(), loop.budget.left())) {
      grant(new Grant(most, 0), false);
    }
  }

  private void grant(Grant more, boolean growing) {
    int count = more.receives();
    loop.budget.grow(count);
    pending = true;
    post(count).onComplete(posted -> {
      pending = false;
      if (posted.failed() || !posted.result()) {
        loop.budget.grow(-count);
        return;
      }
      grown += count;
      if (growing) {
        reached = loop.intern(reached.plus(more));
      } else {
        widened = true;
      }
      link.endpoint().granted(first.receives() + grown);
      link.granted(more);
    });
  }

  public boolean isShared() {
    return receives.queue.shared();
  }

  public void close() {
    loop.budget.grow(-grown);
    if (receives.queue.shared()) {
      receives.withdraw(first.receives() + grown, 0);
    } else {
      loop.budget.granted(-first.receives());
      receives.close();
    }
  }
}
