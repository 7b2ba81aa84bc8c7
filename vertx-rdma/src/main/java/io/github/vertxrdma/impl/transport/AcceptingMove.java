package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.node.ConnectionPrefix;
import io.github.vertxrdma.impl.node.ConnectionProofs;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;

/** Accepts the stream for a connection whose connecting node can move it. */
final class AcceptingMove implements MoveHandler.Owner, ConnectionProofs.Accepted {
  private static final byte[] NOTHING = {};
  private static final int LEAST_MESSAGE = 1 << 10;
  static final int OPEN_MILLIS = 10_000;
  /** Time in which a node that must use a fabric, so that it has sent nothing, asks for a channel that its server has closed. */
  private static final int KNOWN_MILLIS = 2_000;

  private final TransportNode node;
  private final Runnable deliver;
  private final Handler<Node> starting = this::started;
  /** Completed when the channel has its event loop. */
  private final Promise<Void> delivered = Promise.promise();
  private MoveHandler handler;
  private InetSocketAddress local;
  private InetSocketAddress remote;
  private EventLoop loop;
  /** Null until the node has started. */
  private volatile ConnectionProofs proofs;
  private volatile boolean ended;
  /** True if the connecting node has used its fabric, so that it does not ask again. */
  private boolean hasMoved;
  /** Limits the time in which a connecting node opens a stream; null if the server has the channel already. */
  private ScheduledFuture<?> opening;

  /** Connection that its server has closed. */
  private record Closed(String service, EventLoop loop, Object identity) implements ConnectionProofs.Accepted {
    @Override
    public Future<Void> asked() {
      return Future.succeededFuture();
    }

    @Override
    public boolean isMovable() {
      return false;
    }

    @Override
    public boolean stays() {
      return true;
    }

    @Override
    public ConnectionPrefix prefix() {
      return new ConnectionPrefix();
    }

    @Override
    public void stay() {
      // True already.
    }

    @Override
    public void opened(IncomingLink link) {
      link.refuse("the connection is closed");
    }
  }

  /** @param deliver passes the channel to the server, which accepts it only if it moves; null if the server has it already */
  AcceptingMove(TransportNode node, Runnable deliver) {
    this.node = node;
    this.deliver = deliver;
  }

  /** Makes a channel known to its connecting node when this node has started. */
  void await(Channel channel) {
    if (local == null && channel.localAddress() instanceof InetSocketAddress own
      && channel.remoteAddress() instanceof InetSocketAddress other) {
      local = own;
      remote = other;
      node.whenStarted(starting);
    }
  }

  /** Called on any thread. */
  private void started(Node by) {
    proofs = by.connections();
    proofs.addAccepted(local, remote, this);
    if (ended) {
      proofs.removeAccepted(local, remote, this);
    }
  }

  /** Forgets a channel that has ended, or that its server has not accepted. */
  void forget() {
    ended = true;
    delivered.tryFail(new ClosedChannelException());
    node.forget(starting);
    if (proofs != null) {
      proofs.removeAccepted(local, remote, this);
    }
  }

  @Override
  public void connected(MoveHandler connected) {
    handler = connected;
    loop = connected.loop();
    if (deliver != null || node.isForced()) {
      handler.receive(true);
    } else {
      node.options.moves().begin(connected, () -> {
      });
    }
    if (deliver != null) {
      opening = loop.schedule(
        () -> handler.refuse(new IOException(
          "the connecting node did not open a fabric for the connection within " + OPEN_MILLIS + " ms. Find the reason in its log")),
        OPEN_MILLIS,
        TimeUnit.MILLISECONDS);
    }
    delivered.tryComplete();
    await(connected.channel());
  }

  @Override
  public void moved() {
    if (!hasMoved) {
      hasMoved = true;
      TransportCounters.PROCESS.accepted.increment();
    }
  }

  @Override
  public void notMoved(MoveHandler of, Throwable cause) {
    // The connecting node asks again, unless it must use a fabric.
  }

  @Override
  public void lost(MoveHandler of, Throwable cause) {
    // The connection ends.
  }

  @Override
  public void disconnected(MoveHandler of) {
    forget();
    if (loop != null && !loop.isShuttingDown() && !hasMoved && of.isSilent() && proofs != null) {
      ConnectionProofs known = proofs;
      Closed closed = new Closed(service(), loop, new Object());
      known.addClosed(local, remote, closed);
      loop.schedule(() -> known.removeAccepted(local, remote, closed), KNOWN_MILLIS, TimeUnit.MILLISECONDS);
    }
    if (opening != null) {
      opening.cancel(false);
    }
    boolean knocks = deliver == null && of.hasReceivedNothing();
    if (knocks && !node.isStarting() && !node.closingLimit.hasBegun()) {
      node.routes();
    }
    if (deliver == null && !of.hasMoved() && !knocks) {
      TransportCounters.PROCESS.byTcp.increment();
    }
  }

  @Override
  public String service() {
    return RouteNames.of(local.getAddress(), local.getPort());
  }

  @Override
  public Future<Void> asked() {
    if (deliver != null) {
      deliver.run();
    }
    return delivered.future();
  }

  @Override
  public EventLoop loop() {
    return loop;
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
    int largest = Math.min(incoming.greeting().maxMessageSize(), incoming.loop().options.maxMessageSize());
    if (largest < LEAST_MESSAGE) {
      incoming.refuse("messages of at most " + largest + " bytes are too small for streams. Set maxMessageSize at both ends to "
        + LEAST_MESSAGE + " or more");
      return;
    }
    Link link = incoming.accept(NOTHING);
    if (link == null) {
      return;
    }
    ByteStream stream = node.moved(link, remote, loop);
    if (!LoopCall.run(loop, () -> {
      handler.move(stream);
      if (deliver == null && !node.isForced()) {
        node.measure(handler, link.peer().nodeId(), false);
      }
    })) {
      stream.close();
    }
  }
}
