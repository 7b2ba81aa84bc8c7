package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.directory.NodeEntry;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

final class ControlAttempt {
  final NodeEntry peer;
  /** Link that was lost or is silent; null if there was none. */
  final ControlLink lost;
  /** Time at which the attempt fails, and the peer of a lost link is declared dead. */
  long deadlineNanos;
  /** Time at which the peer's process first answered; 0 before. */
  long answeredNanos;
  final Attempts retries = new Attempts(LinkTable.RETRIES);
  private final List<Waiting> waiting = new ArrayList<>();
  ControlDial dial;

  private record Waiting(NodeEntry wanted, Promise<ControlLink> promise) {
  }

  ControlAttempt(NodeEntry peer, ControlLink lost, long deadlineNanos) {
    this.peer = peer;
    this.lost = lost;
    this.deadlineNanos = deadlineNanos;
  }

  void add(NodeEntry wanted, Promise<ControlLink> promise) {
    waiting.add(new Waiting(wanted, promise));
  }

  void cancel() {
    if (dial != null) {
      dial.cancel();
    }
  }

  /** Completes the callers that wait for the peer of a link. */
  void complete(ControlLink link) {
    take(one -> link.isWith(one.wanted)).forEach(one -> one.promise.tryComplete(link));
  }

  /** Fails the callers that want this address, and after a ReplacedException only those that want this epoch. */
  void fail(Throwable cause) {
    boolean ofRun = cause instanceof ControlDial.ReplacedException;
    take(one -> one.wanted.controlHost().equals(peer.controlHost()) && one.wanted.controlPort() == peer.controlPort()
      && (one.wanted.epoch() == peer.epoch() || !ofRun)).forEach(one -> one.promise.tryFail(cause));
  }

  void requeue(BiConsumer<NodeEntry, Promise<ControlLink>> next) {
    take(one -> true).stream().filter(one -> !one.promise.future().isComplete()).forEach(one -> next.accept(one.wanted, one.promise));
  }

  /** Removes the callers before they are notified, because their handlers may add others. */
  private List<Waiting> take(Predicate<Waiting> which) {
    List<Waiting> taken = waiting.stream().filter(which).toList();
    waiting.removeAll(taken);
    return taken;
  }
}
