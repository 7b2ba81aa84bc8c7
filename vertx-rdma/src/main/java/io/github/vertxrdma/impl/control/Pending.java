package io.github.vertxrdma.impl.control;

import io.github.vertxrdma.directory.NodeEntry;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;

/** A peer that is being connected to. On the control loop. */
final class Pending {
  final NodeEntry peer;
  /** The link that was lost and whose peer may be dead; null if there was none. */
  final ControlLink lost;
  final long deadlineNanos;
  private final List<Waiting> waiting = new ArrayList<>();
  /** The attempt under way; null between attempts. */
  ControlDial dial;

  private record Waiting(NodeEntry wanted, Promise<ControlLink> promise) {
  }

  Pending(NodeEntry peer, ControlLink lost, long deadlineNanos) {
    this.peer = peer;
    this.lost = lost;
    this.deadlineNanos = deadlineNanos;
  }

  void add(NodeEntry wanted, Promise<ControlLink> promise) {
    waiting.add(new Waiting(wanted, promise));
  }

  /** Takes over who waits for another attempt. */
  void takeOver(Pending other) {
    waiting.addAll(other.waiting);
    other.waiting.clear();
    other.abandon();
  }

  /** Gives up the attempt under way. */
  void abandon() {
    if (dial != null) {
      dial.abandon();
    }
  }

  void complete(ControlLink link) {
    for (Waiting one : waiting) {
      if (link.isWith(one.wanted)) {
        one.promise.tryComplete(link);
      } else {
        one.promise.tryFail(new ControlDial.GoneException("node " + link.nodeId() + " has restarted; look it up again"));
      }
    }
  }

  void fail(Throwable cause) {
    waiting.forEach(one -> one.promise.tryFail(cause));
  }
}
