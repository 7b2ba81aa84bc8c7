package io.github.vertxrdma.impl.control;

import io.github.vertxrdma.directory.NodeEntry;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/** A peer that is being connected to. On the control loop. */
final class Pending {
  final NodeEntry peer;
  /** The link that was lost, or whose peer is silent, so that the peer may be dead; null if there was none. */
  final ControlLink lost;
  /** When the attempt fails; of one with {@link #lost}, when the peer is dead if nothing acknowledges until then. */
  long deadlineNanos;
  /** Failed attempts in a row. */
  int failures;
  /** When the peer's process first answered an attempt; 0 before. */
  long answeredNanos;
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

  /** Gives up the attempt under way. */
  void abandon() {
    if (dial != null) {
      dial.abandon();
    }
  }

  /** Completes who wants that run of the peer; others wait on. */
  void complete(ControlLink link) {
    take(one -> link.isWith(one.wanted)).forEach(one -> one.promise.tryComplete(link));
  }

  /** Fails who wants what was tried in vain; who wants another run, or the peer at another address, waits on. */
  void fail(Throwable cause) {
    boolean ofRun = cause instanceof ControlDial.GoneException;
    take(one -> one.wanted.controlHost().equals(peer.controlHost()) && one.wanted.controlPort() == peer.controlPort()
      && (one.wanted.epoch() == peer.epoch() || !ofRun)).forEach(one -> one.promise.tryFail(cause));
  }

  /** Hands on the callers that still wait. */
  void handOn(BiConsumer<NodeEntry, Promise<ControlLink>> next) {
    take(one -> true).stream().filter(one -> !one.promise.future().isComplete()).forEach(one -> next.accept(one.wanted, one.promise));
  }

  /** Whoever is told may call again. */
  private List<Waiting> take(Predicate<Waiting> which) {
    List<Waiting> taken = waiting.stream().filter(which).toList();
    waiting.removeAll(taken);
    return taken;
  }
}
