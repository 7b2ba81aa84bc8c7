package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionEnd;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.link.RegionFrames;
import io.github.vertxrdma.impl.link.RmaQueue;
import io.github.vertxrdma.provider.RemoteMemory;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * This side's access to a region of the peer, with its key and pending calls. Keeps the key until the fabric has released the last chunk.
 */
final class RegionLease {
  final RegionPeer peer;
  final RegionDescription description;
  final boolean granted;
  final Strategies strategies;
  volatile Successor<RemoteRegion> successor = Successor.none();
  private int calls;
  private final ArrayDeque<RegionCall<?>> notifications = new ArrayDeque<>(1);
  private HolderState state = HolderState.OPEN;
  private RemoteMemory remote;
  private Throwable cause;
  private Consumer<RegionEnd> endHandler;
  private final ArrayDeque<Runnable> drained = new ArrayDeque<>(1);
  private final Promise<Void> closed = Promise.promise();
  private boolean closing;
  private int inFlight;
  private boolean advancing;

  RegionLease(RegionPeer peer, RegionDescription description, boolean granted, RemoteMemory remote) {
    this.peer = peer;
    this.description = description;
    this.granted = granted;
    this.remote = remote;
    int inline = Math.min(peer.link.loop().options.notifyInlineLimit(), peer.link.maxPayload() - RegionFrames.INLINE_HEAD);
    this.strategies = Strategies.decide(peer.domain(), description.authority(), inline);
  }

  String label() {
    String name = description.name();
    return (name.isEmpty() ? "the region granted by " : "region '" + name + "' of ") + peer.nodeName();
  }

  /** Returns why an operation failed, for a message that names the region already. The cause has the details of a lost connection. */
  String words(Throwable failure) {
    Reason reason = failure instanceof RdmaException e ? e.reason() : Reason.OTHER;
    return reason == Reason.CONNECTION_LOST
      ? peer.link.hasProcessEnded() ? "its owner's process has ended" : "the connection to its owner was lost"
      : reason == Reason.CLOSED && !closing ? "the connection to its owner was closed" : failure.getMessage();
  }

  HolderState state() {
    return state;
  }

  RemoteMemory remote() {
    return remote;
  }

  Future<Void> closed() {
    return closed.future();
  }

  /** Sets the handler for loss of access, or calls it if access is lost. */
  void endHandler(Consumer<RegionEnd> handler) {
    endHandler = handler;
    if (cause != null && state != HolderState.NONE) {
      notifyEnd();
    }
  }

  private void notifyEnd() {
    Consumer<RegionEnd> handler = endHandler;
    endHandler = null;
    if (handler != null) {
      Reason reason = cause instanceof RdmaException e ? e.reason() : Reason.CONNECTION_LOST;
      handler.accept(switch (reason) {
        case REVOKED -> RegionEnd.REVOKED;
        case CLOSED -> RegionEnd.CONNECTION_CLOSED;
        default -> RegionEnd.CONNECTION_LOST;
      });
    }
  }

  /** Adds a call. @return null, or why the call is refused */
  Throwable admit(RegionCall<?> call, long timeoutMillis) {
    if (cause != null) {
      return cause;
    }
    if (closing) {
      return closedHere();
    }
    Throwable refusal = peer.refusal();
    if (refusal != null) {
      return refusal;
    }
    calls++;
    peer.pending().add(call, timeoutMillis);
    return null;
  }

  private RdmaException closedHere() {
    return new RdmaException(Reason.CLOSED, "it was closed by this side");
  }

  void finished(RegionCall<?> call) {
    calls--;
    peer.pending().remove(call);
    tryEnd();
  }

  /** Returns whether a chunk may be transferred now. Fails the call if access is lost. */
  boolean mayTransfer(RegionCall<?> call) {
    if (cause != null) {
      call.fail(cause);
    }
    return state == HolderState.OPEN;
  }

  void chunkBegins() {
    inFlight++;
  }

  void chunkReleased() {
    inFlight--;
    while (inFlight == 0 && !drained.isEmpty()) {
      drained.poll().run();
    }
    tryEnd();
  }

  void whenDrained(Runnable task) {
    if (inFlight == 0) {
      task.run();
    } else {
      drained.add(task);
    }
  }

  void queue(RegionCall<?> call) {
    notifications.add(call);
  }

  boolean isNext(RegionCall<?> call) {
    return notifications.peek() == call;
  }

  void dequeue(RegionCall<?> call) {
    notifications.remove(call);
    if (advancing) {
      return;
    }
    advancing = true;
    RegionCall<?> next = notifications.peek();
    while (next != null) {
      next.step();
      RegionCall<?> after = notifications.peek();
      next = after == next ? null : after;
    }
    advancing = false;
  }

  /** @param released runs when the key is unused */
  void revoked(Throwable why, Runnable released) {
    state = HolderState.REVOKED;
    cause = why;
    // Posted operations may still complete. Calls with more chunks fail.
    removeUnposted();
    stepAll();
    whenDrained(() -> {
      release();
      released.run();
    });
    notifyEnd();
    closed.tryComplete();
  }

  private void stepAll() {
    peer.pending().find(pending -> pending instanceof RegionCall<?> call && call.lease == this)
      .forEach(call -> ((RegionCall<?>) call).step());
  }

  /** Removes unposted chunks, which are posted with the next key, or fail. */
  private void removeUnposted() {
    peer.link.rma().removeWaiting(operation -> operation instanceof RegionCall<?> call && call.lease == this,
      (operation, length) -> ((RegionCall<?>) operation).chunkRemoved(length));
  }

  private void release() {
    if (remote != null) {
      RmaQueue.closeMemory(remote, peer.host());
      remote = null;
    }
  }

  /** @param released runs when the old key is unused */
  void rekeyed(RemoteMemory newKey, Runnable released) {
    state = HolderState.REKEYING;
    removeUnposted();
    whenDrained(() -> {
      if (state != HolderState.REKEYING) {
        newKey.close();
        released.run();
        return;
      }
      RmaQueue.closeMemory(remote, peer.host());
      remote = newKey;
      state = HolderState.OPEN;
      released.run();
      stepAll();
      tryEnd();
    });
  }

  void close() {
    closing = true;
    tryEnd();
  }

  private void tryEnd() {
    if (closing && state == HolderState.OPEN && calls == 0 && inFlight == 0) {
      state = HolderState.NONE;
      cause = closedHere();
      release();
      peer.holder().closeAtOwner(description.handle());
      closed.tryComplete();
    }
  }
}
