package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.PeerEvent;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.DirectoryWatch;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.vertx.core.Handler;
import io.vertx.core.internal.ContextInternal;

public final class PeerWatch {
  private PeerWatch() {
  }

  /** Calls the handler on the context when another node joins or leaves. A node with another epoch has left and joined. */
  public static DirectoryWatch start(RdmaDirectory directory, ContextInternal context, Handler<PeerEvent> handler) {
    return directory.watchNodes(event -> {
      NodeEntry node = (NodeEntry) event.entry();
      if (event.type() != DirectoryEvent.Type.CHANGED && !node.nodeId().equals(directory.nodeId())) {
        PeerEvent.Type type = event.type() == DirectoryEvent.Type.ADDED ? PeerEvent.Type.UP : PeerEvent.Type.DOWN;
        LoopCall.emit(context, new PeerEvent(type, node.nodeId(), node.name(), node.process().host(), node.process().pid()), handler);
      }
    });
  }
}
