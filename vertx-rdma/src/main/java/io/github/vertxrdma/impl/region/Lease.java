package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionEnd;
import io.github.vertxrdma.impl.memory.LazyQueue;
import io.github.vertxrdma.impl.rma.RmaQueue;
import io.github.vertxrdma.provider.RemoteMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Right to use a peer's region: its key and operations in flight. The key is kept until the last chunk is released. Confined to the link's
 * loop.
 */
final class Lease {
  final RegionPeer peer;
  final RegionDescription description;
  /** True if the owner granted it. */
  final boolean granted;
  final Strategies strategies;
  private final ArrayList<RegionCall<?>> calls = new ArrayList<>();
  private final LazyQueue<RegionCall<?>> notifications = new LazyQueue<>();
  private HolderState state = HolderState.OPEN;
  private RemoteMemory remote;
  private Throwable cause;
  private Consumer<RegionEnd> endHandler;
  /** Runs when it has ended. */
  private Runnable over = () -> {};
  /** Run when no chunk is in flight. */
  private final LazyQueue<Runnable> drained = new LazyQueue<>();
  /** Closes of this side that wait. */
  private List<Runnable> closers = List.of();
  private int underWay;
  private boolean advancing;

  Lease(RegionPeer peer, RegionDescription description, boolean granted, RemoteMemory remote) {
    this.peer = peer;
    this.description = description;
    this.granted = granted;
    this.remote = remote;
    this.strategies = Strategies.decide(peer.domain(), description.authority(), peer.inlineLimit());
  }

  /** For messages; any thread. */
  String label() {
    String name = description.name();
    return (name.isEmpty() ? "the region granted" : "region '" + name + "'") + " of " + peer.link.name();
  }

  HolderState state() {
    return state;
  }

  RemoteMemory remote() {
    return remote;
  }

  /** Sets the handler for loss of access; called immediately if access is already lost. */
  void endHandler(Consumer<RegionEnd> handler) {
    endHandler = handler;
    if (cause != null && state != HolderState.NONE) {
      tellEnd();
    }
  }

  /** Sets the task for its end; runs immediately if it has ended. */
  void whenOver(Runnable task) {
    over = task;
    if (cause != null) {
      task.run();
    }
  }

  private void tellEnd() {
    Consumer<RegionEnd> handler = endHandler;
    endHandler = null;
    if (handler != null) {
      Reason reason = cause instanceof RdmaException known ? known.reason() : Reason.CONNECTION_LOST;
      handler.accept(switch (reason) {
        case REVOKED -> RegionEnd.REVOKED;
        case CLOSED -> RegionEnd.CONNECTION_CLOSED;
        default -> RegionEnd.CONNECTION_LOST;
      });
    }
  }

  // ---- calls

  /** Starts a call. @return why it is not allowed, or null */
  Throwable admit(RegionCall<?> call, long timeoutMillis) {
    if (cause != null) {
      return cause;
    }
    if (!closers.isEmpty()) {
      return closed();
    }
    Throwable refusal = peer.refusal();
    if (refusal != null) {
      return refusal;
    }
    call.place = calls.size();
    calls.add(call);
    peer.pending().add(call, timeoutMillis);
    return null;
  }

  private RdmaException closed() {
    return new RdmaException(Reason.CLOSED, label() + " was closed by this side");
  }

  /** Removes a completed call. */
  void finished(RegionCall<?> call) {
    RegionCall<?> last = calls.removeLast();
    if (last != call) {
      calls.set(call.place, last);
      last.place = call.place;
    }
    peer.pending().remove(call);
    tryEnd();
  }

  /** Returns whether a part of a call may start now. Fails the call if it never may. */
  boolean mayTransfer(RegionCall<?> call) {
    if (cause != null) {
      call.fail(cause);
    }
    return state == HolderState.OPEN;
  }

  void chunkBegins() {
    underWay++;
  }

  /** Called when the fabric has released a chunk's memory. */
  void chunkReleased() {
    underWay--;
    while (underWay == 0 && !drained.isEmpty()) {
      drained.poll().run();
    }
    tryEnd();
  }

  /** Runs a task when no chunk is in flight. */
  void whenDrained(Runnable task) {
    if (underWay == 0) {
      task.run();
    } else {
      drained.add(task);
    }
  }

  // ---- order of notifications

  /** Queues a notified write: notifications are sent in the order of calls. */
  void queue(RegionCall<?> call) {
    notifications.add(call);
  }

  boolean isNext(RegionCall<?> call) {
    return notifications.peek() == call;
  }

  /** Continues with the next notification. */
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

  // ---- end

  /** Ends the lease: revoked, or the link closed. @param released runs when the key is unused */
  void revoked(Throwable why, Runnable released) {
    state = HolderState.REVOKED;
    cause = why;
    // Posted operations may finish and replies arrive; everything that needs the key fails.
    takeBack();
    List.copyOf(calls).forEach(RegionCall::step);
    whenDrained(() -> {
      release();
      released.run();
    });
    tellEnd();
    completeClosers();
  }

  /** Removes unposted chunks, which restart with the next key or fail. */
  private void takeBack() {
    peer.link.rma().removeWaiting(operation -> operation instanceof RegionCall<?> call && call.lease == this,
      (operation, length) -> ((RegionCall<?>) operation).takenBack(length));
  }

  private void release() {
    if (remote != null) {
      // Views end as well.
      RmaQueue.closeMemory(remote, peer.host());
      remote = null;
    }
  }

  /** Changes the key. @param released runs when the old key is unused */
  void rekeyed(RemoteMemory fresh, Runnable released) {
    state = HolderState.REKEYING;
    takeBack();
    whenDrained(() -> {
      if (state != HolderState.REKEYING) {
        fresh.close();
        released.run();
        return;
      }
      RmaQueue.closeMemory(remote, peer.host());
      remote = fresh;
      state = HolderState.OPEN;
      released.run();
      List.copyOf(calls).forEach(RegionCall::step);
      tryEnd();
    });
  }

  /** Closes the region. @param closed runs after the last call */
  void close(Runnable closed) {
    if (cause != null) {
      closed.run();
      return;
    }
    if (closers.isEmpty()) {
      closers = new ArrayList<>();
    }
    closers.add(closed);
    tryEnd();
  }

  private void tryEnd() {
    if (!closers.isEmpty() && state == HolderState.OPEN && calls.isEmpty() && underWay == 0) {
      state = HolderState.NONE;
      cause = closed();
      release();
      peer.giveBack(description.handle());
      completeClosers();
    }
  }

  private void completeClosers() {
    List<Runnable> all = closers;
    closers = List.of();
    all.forEach(Runnable::run);
    over.run();
  }
}
