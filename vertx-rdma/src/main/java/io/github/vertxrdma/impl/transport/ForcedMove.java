package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.node.ConnectionProofs.Offer;
import io.github.vertxrdma.impl.node.TcpReason;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.transport.TransportNode.Server;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Future;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;

/** Connects a channel that uses a fabric from its first byte on, or fails. Confined to the channel's event loop. */
final class ForcedMove implements MoveHandler.Owner {
  private static final long FIRST_PAUSE_MILLIS = 1;
  private static final long LONGEST_PAUSE_MILLIS = 500;

  private final TransportNode node;
  private final String host;
  private Server server;
  private long connectedNanos;
  private Runnable reached = () -> {
  };
  /** Why the peer has not opened a stream yet. */
  private String why = "the server was not found yet";

  /** @param host as given by the application */
  ForcedMove(TransportNode node, String host) {
    this.node = node;
    this.host = host;
  }

  @Override
  public Future<SocketAddress> find(MoveHandler handler, SocketAddress remote, ChannelPromise promise) {
    int millis = handler.channel().config().getConnectTimeoutMillis();
    if (millis > 0) {
      ScheduledFuture<?> timeout = handler.loop().schedule(() -> handler.refuse(
        new ConnectTimeoutException("connection timed out after " + millis + " ms: " + remote + ": " + why
          + ". Raise the connect timeout, or find the reason in the log of the "
          + "server's node")),
        millis,
        TimeUnit.MILLISECONDS);
      promise.addListener(done -> timeout.cancel(false));
    }
    return node.find(host, remote, handler.loop()).map(found -> {
      server = found;
      why = "the TCP connection was not made yet";
      return found == null ? null : found.target().address();
    });
  }

  @Override
  public void connected(MoveHandler handler) {
    if (server != null) {
      connectedNanos = System.nanoTime();
      ask(handler, (InetSocketAddress) handler.channel().localAddress(), (InetSocketAddress) handler.channel().remoteAddress(),
        FIRST_PAUSE_MILLIS);
    }
  }

  private void ask(MoveHandler handler, InetSocketAddress local, InetSocketAddress remote, long pause) {
    boolean hadEnded = handler.hasEnded();
    node.ask(server.route(), local, remote, handler).onComplete((offer, cause) -> LoopCall.run(handler.loop(), () -> {
      if (!handler.isOpening()) {
        return;
      }
      if (offer != null) {
        open(handler, offer);
        return;
      }
      why = cause == null ? "the peer was not ready to move the connection yet" : cause.getMessage();
      Reason reason = cause instanceof RdmaException refused ? refused.reason() : null;
      if (reason == Reason.CLOSED) {
        // The peer may know the connection, and have closed it.
        handler.openEnded(server.refusal(node, TcpReason.NOT_PROVEN, why));
      } else if (reason == Reason.NOT_FOUND && hadEnded) {
        handler.refuseClosed();
      } else if (System.nanoTime() - connectedNanos > node.options.rdma().getConnectTimeout().toNanos()) {
        handler.refuse(server.refusal(node, TcpReason.NOT_PROVEN, why));
      } else {
        handler.loop().schedule(() -> ask(handler, local, remote, Math.min(2 * pause, LONGEST_PAUSE_MILLIS)), pause, TimeUnit.MILLISECONDS);
      }
    }));
  }

  private void open(MoveHandler handler, Offer offer) {
    node.move(server.routes(), server.target(), server.route(), handler, offer, true, report -> reached = report)
      .onComplete((stream, cause) -> {
        if (!LoopCall.run(handler.loop(), () -> opened(handler, stream, cause)) && stream != null) {
          stream.close();
        }
      });
  }

  private static void opened(MoveHandler handler, ByteStream stream, Throwable cause) {
    if (stream == null) {
      // The offer has proved that the connection leads to the node.
      handler.openEnded(cause);
    } else {
      handler.move(stream);
    }
  }

  @Override
  public void moved() {
    reached.run();
    reached = () -> {
    };
  }

  @Override
  public void notMoved(MoveHandler handler, Throwable cause) {
    // The stream has proved that the connection leads to the node.
    handler.openEnded(server.refusal(node, TcpReason.NOT_REACHED,
      cause == null ? "the peer closed the fabric. Find the reason in its log" : cause.getMessage()));
  }

  @Override
  public void lost(MoveHandler handler, Throwable cause) {
    // The connection ends.
  }

  @Override
  public void disconnected(MoveHandler handler) {
    // Nothing waits.
  }
}
