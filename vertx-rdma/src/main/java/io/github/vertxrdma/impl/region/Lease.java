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
 * The right to use a peer's region: its key, and what is under way with it. The key is not let go before the last chunk is released,
 * whether the owner takes it back, changes it, or this side gives it back. Confined to the link's loop.
 */
final class Lease {
  final RegionPeer peer;
  final RegionDescription description;
  /** True if the owner granted it, rather than this side opened it. */
  final boolean granted;
  final Strategies strategies;
  private final ArrayList<RegionCall<?>> calls = new ArrayList<>();
  private final LazyQueue<RegionCall<?>> notifications = new LazyQueue<>();
  private HolderState state = HolderState.OPEN;
  private RemoteMemory remote;
  private Throwable cause;
  private Consumer<RegionEnd> endHandler;
  /** Runs once it is over, whoever ended it. */
  private Runnable over = () -> {};
  /** Wait until no chunk is under way. */
  private final LazyQueue<Runnable> drained = new LazyQueue<>();
  /** Wait for this side's own close; empty while nobody has asked for it. */
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

  /** Sets who hears that it is not to be used any more; at once if so. */
  void endHandler(Consumer<RegionEnd> handler) {
    endHandler = handler;
    if (cause != null && state != HolderState.NONE) {
      tellEnd();
    }
  }

  /** Sets what runs once it is over, whoever ended it; at once if so. */
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

  /** Lets a call begin. @return why it must not, or null */
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

  /** Forgets a call whose future is completed. */
  void finished(RegionCall<?> call) {
    RegionCall<?> last = calls.removeLast();
    if (last != call) {
      calls.set(call.place, last);
      last.place = call.place;
    }
    peer.pending().remove(call);
    tryEnd();
  }

  /** Tells whether something of a call may begin now; the call fails if nothing may ever. */
  boolean mayTransfer(RegionCall<?> call) {
    if (cause != null) {
      call.fail(cause);
    }
    return state == HolderState.OPEN;
  }

  void chunkBegins() {
    underWay++;
  }

  /** Ends a chunk: the fabric touches its memory no more. */
  void chunkReleased() {
    underWay--;
    while (underWay == 0 && !drained.isEmpty()) {
      drained.poll().run();
    }
    tryEnd();
  }

  /** Runs a task once no chunk is under way. */
  void whenDrained(Runnable task) {
    if (underWay == 0) {
      task.run();
    } else {
      drained.add(task);
    }
  }

  // ---- the order of notifications

  /** Takes a notified write: its notification is sent after those of earlier ones. */
  void queue(RegionCall<?> call) {
    notifications.add(call);
  }

  boolean isNext(RegionCall<?> call) {
    return notifications.peek() == call;
  }

  /** Goes on to the next notification: one was handed to the link, or never will be. */
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

  // ---- its end

  /** Ends it: the owner takes it back, or the link is over. @param released runs when the key is not used any more */
  void revoked(Throwable why, Runnable released) {
    state = HolderState.REVOKED;
    cause = why;
    // Operations that are posted may finish, and those that only wait for an answer get it; whatever needs the key once more fails.
    takeBack();
    List.copyOf(calls).forEach(RegionCall::step);
    whenDrained(() -> {
      release();
      released.run();
    });
    tellEnd();
    completeClosers();
  }

  /** Takes chunks back that wait to be posted, maybe behind those of another peer: they begin again with the next key, or never. */
  private void takeBack() {
    peer.link.rma().removeWaiting(operation -> operation instanceof RegionCall<?> call && call.lease == this,
      (operation, length) -> ((RegionCall<?>) operation).takenBack(length));
  }

  private void release() {
    if (remote != null) {
      // Views end with it.
      RmaQueue.closeMemory(remote, peer.host());
      remote = null;
    }
  }

  /** Changes the key. @param released runs when the old one is not used any more */
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

  /** Gives it back. @param closed runs when the last call is over */
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
