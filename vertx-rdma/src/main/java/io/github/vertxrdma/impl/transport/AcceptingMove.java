package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.node.ConnectionPrefix;
import io.github.vertxrdma.impl.node.ConnectionProofs;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import java.net.InetSocketAddress;

/** Accepts the stream for a connection whose connecting node can move it. */
final class AcceptingMove implements MoveHandler.Owner, ConnectionProofs.Accepted {
  private static final byte[] NOTHING = {};

  private final TransportNode node;
  private final Future<ConnectionProofs> proofs;
  private MoveHandler handler;
  private InetSocketAddress local;
  private InetSocketAddress remote;
  private EventLoop loop;
  private boolean ended;
  private boolean counted;

  /** @param proofs completes on any thread when the node has started */
  AcceptingMove(TransportNode node, Future<ConnectionProofs> proofs) {
    this.node = node;
    this.proofs = proofs;
  }

  @Override
  public void connected(MoveHandler connected) {
    handler = connected;
    loop = connected.loop();
    if (connected.channel().localAddress() instanceof InetSocketAddress own
      && connected.channel().remoteAddress() instanceof InetSocketAddress other) {
      local = own;
      remote = other;
      node.options.moves().begin(connected, () -> {
      });
      proofs.onSuccess(known -> LoopCall.run(loop, () -> {
        if (!ended) {
          known.addAccepted(local, remote, this);
        }
      }));
    }
  }

  @Override
  public void moved() {
    if (!counted) {
      counted = true;
      TransportCounters.PROCESS.accepted.increment();
    }
  }

  @Override
  public void notMoved(MoveHandler of, Throwable cause) {
    // The connecting node asks again.
  }

  @Override
  public void lost(MoveHandler of, Throwable cause) {
    // The connection ends.
  }

  @Override
  public void disconnected(MoveHandler of) {
    ended = true;
    if (local != null && proofs.succeeded()) {
      proofs.result().removeAccepted(local, remote, this);
    }
    if (!of.hasMoved()) {
      TransportCounters.PROCESS.byTcp.increment();
    }
  }

  @Override
  public EventLoop loop() {
    return loop;
  }

  @Override
  public String service() {
    return RouteNames.of(local.getAddress(), local.getPort());
  }

  @Override
  public boolean isMovable() {
    return handler.isMovable();
  }

  @Override
  public ConnectionPrefix prefix() {
    return handler.prefix();
  }

  @Override
  public boolean stays() {
    return handler.stays();
  }

  @Override
  public void stay() {
    handler.stay();
  }

  @Override
  public void opened(IncomingLink incoming) {
    if (FabricServer.hasSmallMessages(incoming)) {
      return;
    }
    Link link = incoming.accept(NOTHING);
    if (link == null) {
      return;
    }
    ByteStream stream = node.moved(link, local, remote, loop);
    if (!LoopCall.run(loop, () -> {
      handler.move(stream);
      node.measure(handler, link.peer().nodeId(), false);
    })) {
      stream.close();
    }
  }
}
