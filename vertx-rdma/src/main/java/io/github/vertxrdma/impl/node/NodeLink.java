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

/** A link between two nodes that carries the region service and no messages. */
final class NodeLink implements MessageHandler {
  private final Link link;
  private final RegionPeer regions;
  private final Consumer<NodeLink> onClosed;
  private volatile boolean over;

  /** @param onClosed hears of it when it is over */
  NodeLink(Link link, RegionRegistry registry, long timeoutMillis, Consumer<NodeLink> onClosed) {
    this.link = link;
    this.regions = new RegionPeer(link, registry, timeoutMillis);
    this.onClosed = onClosed;
    link.handler(this);
  }

  /** The device of this side. */
  Device device() {
    return link.loop().domain.device();
  }

  /** Whether it leads to that run of a node, over that device, and lives on that loop. */
  boolean leadsTo(NodeEntry node, Device over, EventLoop on) {
    return link.loop().eventLoop() == on && device() == over && link.peer().nodeId().equals(node.nodeId())
      && link.peer().epoch() == node.epoch();
  }

  boolean isOver() {
    return over;
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
    over = true;
    onClosed.accept(this);
  }
}
