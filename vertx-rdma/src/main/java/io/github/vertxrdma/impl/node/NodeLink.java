package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.region.RegionPeer;
import io.github.vertxrdma.impl.region.RegionRegistry;
import io.github.vertxrdma.provider.Device;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.function.Consumer;

/** A link between two nodes for region operations. It carries no messages. */
final class NodeLink implements MessageHandler {
  private final Link link;
  private final RegionPeer regions;
  private final Consumer<NodeLink> onClosed;
  private volatile boolean closed;

  NodeLink(Link link, RegionRegistry registry, long timeoutMillis, Consumer<NodeLink> onClosed) {
    this.link = link;
    this.regions = new RegionPeer(link, registry, timeoutMillis);
    this.onClosed = onClosed;
    link.handler(this);
  }

  Device device() {
    return link.loop().domain.device();
  }

  /** Returns true if the link leads to this run of the node. */
  boolean leadsTo(NodeEntry node, Device device, EventLoop loop) {
    return link.loop().eventLoop() == loop && device() == device && link.peer().nodeId().equals(node.nodeId())
      && link.peer().epoch() == node.epoch();
  }

  boolean isClosed() {
    return closed;
  }

  RegionPeer regions() {
    return regions;
  }

  @Override
  public void message(ByteBuf message) {
    message.release();
    link.fail(new RdmaException(Reason.PROTOCOL, link.name() + " carries no messages, but the peer sent one"));
  }

  @Override
  public void closed(Throwable cause) {
    closed = true;
    onClosed.accept(this);
  }
}
