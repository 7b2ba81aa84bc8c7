package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.PeerEvent;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.DirectoryWatch;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.vertx.core.Handler;
import io.vertx.core.internal.ContextInternal;
import java.util.HashMap;
import java.util.Map;

public final class PeerWatch {
  private final RdmaDirectory directory;
  private final Handler<PeerEvent> handler;
  private final Map<String, Long> up = new HashMap<>();

  private PeerWatch(RdmaDirectory directory, Handler<PeerEvent> handler) {
    this.directory = directory;
    this.handler = handler;
  }

  public static DirectoryWatch start(RdmaDirectory directory, ContextInternal context, Handler<PeerEvent> handler) {
    PeerWatch watch = new PeerWatch(directory, event -> LoopCall.emit(context, event, handler));
    return directory.watchNodes(watch::changed);
  }

  private synchronized void changed(DirectoryEvent event) {
    NodeEntry node = (NodeEntry) event.entry();
    if (node.nodeId().equals(directory.nodeId())) {
      return;
    }
    if (event.type() == DirectoryEvent.Type.REMOVED) {
      if (up.remove(node.nodeId(), node.epoch())) {
        emit(PeerEvent.Type.DOWN, node);
      }
      return;
    }
    Long before = up.put(node.nodeId(), node.epoch());
    if (before != null && before == node.epoch()) {
      return;
    }
    if (before != null) {
      emit(PeerEvent.Type.DOWN, node);
    }
    emit(PeerEvent.Type.UP, node);
  }

  private void emit(PeerEvent.Type type, NodeEntry node) {
    handler.handle(new PeerEvent(type, node.nodeId(), node.name(), node.process().host(), node.process().pid()));
  }
}
