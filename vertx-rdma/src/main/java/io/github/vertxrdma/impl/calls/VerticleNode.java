package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.impl.node.EncryptionPolicy;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.node.SharedNode;
import io.github.vertxrdma.impl.transport.TransportRdma;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;

/** Use of its Vert.x's node by a verticle. Thread-safe. */
final class VerticleNode {
  private SharedNode share;
  private boolean released;

  /** @param options null for those of the process */
  Future<Node> acquire(ContextInternal context, String name, RdmaOptions options) {
    Vertx vertx = context.owner();
    return context.executeBlockingInternal(() -> options == null ? TransportRdma.options(vertx) : TransportRdma.ruled(vertx, options))
      .compose(effective -> EncryptionPolicy.unless(effective, "service '" + name + "'", () -> share(context, effective)));
  }

  private synchronized Future<Node> share(ContextInternal context, RdmaOptions options) {
    if (released) {
      return Future.failedFuture("it was undeployed");
    }
    share = SharedNode.acquire(context.owner(), options, null);
    return share.node();
  }

  Future<Void> release() {
    SharedNode held;
    synchronized (this) {
      released = true;
      held = share;
      share = null;
    }
    return held == null ? Future.succeededFuture() : held.release();
  }
}
