package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.directory.NodeEntry;
import io.vertx.core.AsyncResult;
import io.vertx.core.Promise;

/** Connects to an address whose node is unknown. Begins a {@link ControlAttempt} when it knows the node's id. */
final class PeerProbe {
  private final LinkTable table;
  private final Promise<String> promise;
  private ControlDial dial;
  private NodeEntry found;
  private ControlAttempt attempt;

  PeerProbe(LinkTable table, Promise<String> promise) {
    this.table = table;
    this.promise = promise;
  }

  void start(ControlDial dial, int timeoutMillis) {
    this.dial = dial;
    dial.start(timeoutMillis, timeoutMillis).onComplete(this::done);
  }

  /**
   * @return null if no connection is needed
   * @throws IllegalArgumentException if the node has this node's id
   */
  Join join(NodeEntry node) {
    table.checkId(node);
    found = node;
    if (table.needsNoAttempt(node)) {
      return null;
    }
    attempt = table.begin(node, dial);
    return table.join(attempt, null);
  }

  private void done(AsyncResult<ControlLink> done) {
    if (attempt == null) {
      if (done.cause() instanceof ControlDial.DuplicateException) {
        promise.complete(found.nodeId());
      } else {
        promise.fail(done.cause());
      }
      return;
    }
    attempt.dial = null;
    if (done.succeeded()) {
      table.connected(attempt, done.result());
      promise.complete(found.nodeId());
    } else if (table.isCurrent(attempt)) {
      Promise<ControlLink> link = Promise.promise();
      link.future().map(ControlLink::nodeId).onComplete(promise);
      attempt.add(attempt.peer, link);
      table.failed(attempt, done.cause());
    } else if (table.isOpen(found)) {
      promise.complete(found.nodeId()); // the connection that the peer opened came first
    } else {
      promise.fail(done.cause());
    }
  }
}
