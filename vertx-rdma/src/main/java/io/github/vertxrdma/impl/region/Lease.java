package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.RemoteMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The right to use a peer's region: its key, and what is under way with it. The key is not let go before the last transfer is over, whether
 * the owner takes it back, changes it, or this side gives it back. Confined to the link's loop.
 */
final class Lease {
  /** What may begin. */
  private enum State {
    /** Anything. */
    OPEN,
    /** Operations, but no transfers before the old key is free. */
    REKEYING,
    /** Only what belongs to operations that have begun. */
    CLOSING,
    /** Nothing. */
    ENDED
  }

  final RegionPeer peer;
  final RegionDescription description;
  final Strategies strategies;
  private final ArrayList<RegionOperation<?>> operations = new ArrayList<>();
  private final ArrayDeque<RegionOperation<?>> notifications = new ArrayDeque<>();
  private State state = State.OPEN;
  private RemoteMemory remote;
  private RemoteMemory fresh;
  private Throwable cause;
  private Runnable drained;
  private Runnable ended;
  private List<Runnable> closers = List.of();
  private boolean closing;
  private int transfers;

  Lease(RegionPeer peer, RegionDescription description, RemoteMemory remote) {
    this.peer = peer;
    this.description = description;
    this.remote = remote;
    this.strategies = Strategies.decide(peer.domain(), description.authority(), peer.carried());
  }

  /** For messages; any thread. */
  String label() {
    String name = description.name();
    return (name.isEmpty() ? "the region lent" : "region '" + name + "'") + " of " + peer.link.name();
  }

  RemoteMemory remote() {
    return remote;
  }

  /** Called once it is not to be used any more. */
  void endedHandler(Runnable handler) {
    if (state == State.ENDED) {
      handler.run();
    } else {
      ended = handler;
    }
  }

  // ---- operations

  /** An operation begins. @return why it must not, or null */
  Throwable admit(RegionOperation<?> operation, long timeoutMillis) {
    if (state == State.ENDED) {
      return cause;
    }
    if (closing) {
      return new RdmaException(Reason.CLOSED, label() + " was closed by this side");
    }
    operation.place = operations.size();
    operations.add(operation);
    peer.pending.add(operation, timeoutMillis);
    return null;
  }

  /** An operation's future is completed. */
  void finished(RegionOperation<?> operation) {
    RegionOperation<?> last = operations.removeLast();
    if (last != operation) {
      operations.set(operation.place, last);
      last.place = operation.place;
    }
    peer.pending.remove(operation);
    if (closing) {
      tryEnd();
    }
  }

  /** Whether a transfer of an operation may begin now; the operation fails if none may ever. */
  boolean mayTransfer(RegionOperation<?> operation) {
    if (state == State.ENDED) {
      operation.fail(cause);
    }
    return state == State.OPEN || state == State.CLOSING;
  }

  void transferBegins() {
    transfers++;
  }

  /** The fabric does not touch the memory of a transfer any more. */
  void transferReleased() {
    if (--transfers == 0) {
      if (drained != null) {
        Runnable task = drained;
        drained = null;
        task.run();
      }
      if (closing) {
        tryEnd();
      }
    }
  }

  private void whenDrained(Runnable task) {
    if (transfers == 0) {
      task.run();
    } else {
      drained = task;
    }
  }

  // ---- the order of notifications

  /** A notified write begins: its notification is sent after those of earlier ones. */
  void queue(RegionOperation<?> operation) {
    notifications.add(operation);
  }

  boolean isNext(RegionOperation<?> operation) {
    return notifications.peek() == operation;
  }

  /** Its notification was handed to the link, or never will be. */
  void dequeue(RegionOperation<?> operation) {
    boolean first = notifications.peek() == operation;
    notifications.remove(operation);
    RegionOperation<?> next = notifications.peek();
    if (first && next != null) {
      next.step();
    }
  }

  // ---- its end

  /** The owner takes it back, or the link is over. @param released when the key is not used any more */
  void revoked(Throwable why, Runnable released) {
    boolean first = state != State.ENDED;
    state = State.ENDED;
    if (first) {
      cause = why;
      // What is posted may finish, and what only waits for an answer gets it; whatever needs the key once more fails.
      List.copyOf(operations).forEach(RegionOperation::step);
    }
    Runnable before = drained;
    drained = null;
    whenDrained(() -> {
      if (before != null) {
        before.run();
      }
      release();
      released.run();
    });
    if (first) {
      if (ended != null) {
        ended.run();
      }
      complete();
    }
  }

  private void release() {
    if (remote != null) {
      remote.close();
      remote = null;
    }
    if (fresh != null) {
      fresh.close();
      fresh = null;
    }
  }

  /** The owner changes the key. @param released when the old one is not used any more */
  void rekeyed(RemoteMemory key, Runnable released) {
    if (state == State.ENDED || fresh != null) {
      // Two changes at once do not occur: the owner waits for the answer.
      key.close();
      released.run();
      return;
    }
    state = State.REKEYING;
    fresh = key;
    whenDrained(() -> {
      if (state == State.REKEYING) {
        remote.close();
        remote = fresh;
        fresh = null;
        state = closing ? State.CLOSING : State.OPEN;
        released.run();
        List.copyOf(operations).forEach(RegionOperation::step);
        tryEnd();
      } else {
        released.run();
      }
    });
  }

  /** This side is done with it. @param closed when the last operation is over */
  void close(Runnable closed) {
    if (state == State.ENDED && !closing) {
      closed.run();
      return;
    }
    if (closers.isEmpty()) {
      closers = new ArrayList<>();
    }
    closers.add(closed);
    closing = true;
    if (state == State.OPEN) {
      state = State.CLOSING;
    }
    tryEnd();
  }

  private void tryEnd() {
    if (state == State.CLOSING && operations.isEmpty() && transfers == 0) {
      state = State.ENDED;
      cause = new RdmaException(Reason.CLOSED, label() + " was closed by this side");
      release();
      peer.giveBack(description.handle());
      complete();
    }
  }

  private void complete() {
    List<Runnable> all = closers;
    closers = List.of();
    closing = false;
    all.forEach(Runnable::run);
  }
}
