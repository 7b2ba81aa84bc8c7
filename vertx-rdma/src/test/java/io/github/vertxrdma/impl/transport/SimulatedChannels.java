package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.impl.link.Link;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DuplexChannel;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

public final class SimulatedChannels {
  private static final InetSocketAddress HERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
  private static final InetSocketAddress THERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 2);

  @FunctionalInterface
  public interface Dialer {
    /**
     * @param opener for the open link, on its loop
     * @return what the opener made; completes on the channel's loop or that of the link
     */
    Future<Object> connect(Function<Link, Object> opener);
  }

  private SimulatedChannels() {
  }

  public static boolean isEndOfPeer(Throwable cause) {
    return cause instanceof ByteStream.PeerEnded;
  }

  private static LinkStream stream(Link link) {
    return new LinkStream(link, HERE, () -> {
    }).remoteAddress(THERE);
  }

  public static DuplexChannel accepted(Link link, EventLoop loop) {
    return new RdmaChannel(null, stream(link), loop, false);
  }

  /** A TCP channel that a {@link MoveHandler} can move to a fabric. */
  public static final class Movable {
    public final DuplexChannel channel;
    private final MoveHandler handler;
    private Link link;

    private Movable(DuplexChannel channel, MoveHandler.Owner owner) {
      this.channel = channel;
      this.handler = new MoveHandler(owner, ClosingLimit.NONE, false).addTo(channel);
      handler.receive(true);
    }

    /** Asks the peer to send over the fabric or by TCP. Called on the channel's loop. */
    public void receive(boolean byFabric) {
      handler.receive(byFabric);
    }

    public boolean isMoving() {
      return handler.isMoving();
    }

    /** Returns whether both directions use the fabric. */
    public boolean hasMoved() {
      return handler.sent() > 0 && handler.received() > 0;
    }

    @Override
    public String toString() {
      return handler.toString();
    }

    /** Fails the link of an accepted channel. Called on the link's loop. */
    public void loseFabric() {
      if (link != null) {
        link.fail(new RdmaException(RdmaException.Reason.CONNECTION_LOST, "the fabric is lost"));
      }
    }

    /** Moves an accepted channel to a link. Called on the link's loop. */
    public void move(Link made, EventLoop home, EventLoop loop) {
      link = made;
      ByteStream stream = bridged(stream(made).withControl(), loop, home);
      home.execute(() -> handler.move(stream));
    }
  }

  public static Movable accepted(SimulatedTcp tcp, EventLoop home) {
    return new Movable(new RdmaChannel(null, tcp.server(), home, false), new MoveHandler.Owner() {
      @Override
      public void connected(MoveHandler handler) {
      }

      @Override
      public void notMoved(MoveHandler handler, Throwable cause) {
      }

      @Override
      public void lost(MoveHandler handler, Throwable cause) {
      }

      @Override
      public void disconnected(MoveHandler handler) {
      }
    });
  }

  /**
   * @param dialer completes with null if no fabric reaches the peer now
   * @param home the channel's event loop
   * @param loop that of the link
   */
  public static Movable connecting(SimulatedTcp tcp, Dialer dialer, EventLoop home, EventLoop loop) {
    return new Movable(new RdmaChannel((channel, remote, local) -> Future.succeededFuture(tcp.client()), false),
      new Redialer(dialer, home, loop));
  }

  private static final class Redialer implements MoveHandler.Owner {
    private final Dialer dialer;
    private final EventLoop home;
    private final EventLoop loop;
    private boolean stopped;

    Redialer(Dialer dialer, EventLoop home, EventLoop loop) {
      this.dialer = dialer;
      this.home = home;
      this.loop = loop;
    }

    @Override
    public void connected(MoveHandler handler) {
      dialer.connect(link -> stream(link).withControl()).map(made -> bridged(made, loop, home))
        .onComplete((made, cause) -> home.execute(() -> {
          if (made != null) {
            handler.move(made);
          } else {
            notMoved(handler, cause);
          }
        }));
    }

    @Override
    public void notMoved(MoveHandler handler, Throwable cause) {
      if (!stopped) {
        home.schedule(() -> {
          if (!stopped) {
            connected(handler);
          }
        }, 1, TimeUnit.SECONDS);
      }
    }

    @Override
    public void lost(MoveHandler handler, Throwable cause) {
      // The connection ends.
    }

    @Override
    public void disconnected(MoveHandler handler) {
      stopped = true;
    }
  }

  private static ByteStream bridged(Object made, EventLoop loop, EventLoop home) {
    return home == loop || made == null ? (ByteStream) made : new BridgedStream((ByteStream) made, loop, home);
  }

  public static DuplexChannel connecting(Dialer dialer, EventLoop home, EventLoop loop) {
    return new RdmaChannel((channel, remote, local) -> dialer.connect(SimulatedChannels::stream)
      .map(made -> bridged(made, loop, home)), false);
  }
}
