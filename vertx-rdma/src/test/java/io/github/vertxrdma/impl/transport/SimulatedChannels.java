package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.impl.link.Link;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DuplexChannel;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

public final class SimulatedChannels {
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

  private static LinkStream stream(Link link) {
    return new LinkStream(link, THERE, () -> {
    });
  }

  /** Keeps what arrives over a link. @return passes that and the rest to a reader */
  public static Consumer<Consumer<ByteBuf>> waiting(Link link) {
    LinkStream stream = stream(link);
    return reader -> stream.start(new ByteStream.Receiver() {
      @Override
      public void received(ByteBuf bytes) {
        reader.accept(bytes);
      }

      @Override
      public void control(byte kind, long offset) {
        throw new AssertionError("control word " + kind);
      }

      @Override
      public void closed(Throwable cause) {
        // The test has ended.
      }
    });
  }

  /** A TCP channel that a {@link MoveHandler} can move to a fabric. */
  public static final class Movable {
    public final DuplexChannel channel;
    private final MoveHandler handler;
    private Link link;

    private Movable(DuplexChannel channel, MoveHandler.Owner owner, boolean forced) {
      this.channel = channel;
      this.handler = new MoveHandler(owner, ClosingLimit.NONE, false, forced).addTo(channel);
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
      ByteStream stream = bridged(stream(made), loop, home);
      home.execute(() -> handler.move(stream));
    }
  }

  /** @param forced true for a channel that must use a fabric */
  public static Movable accepted(SimulatedTcp tcp, boolean forced) {
    return new Movable(tcp.server(), new MoveHandler.Owner() {
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
    }, forced);
  }

  /**
   * @param dialer completes with null if no fabric reaches the peer now
   * @param home the channel's event loop
   * @param loop that of the link
   */
  public static Movable connecting(SimulatedTcp tcp, Dialer dialer, EventLoop home, EventLoop loop, boolean forced) {
    return new Movable(tcp.client(), new Redialer(dialer, home, loop), forced);
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
    public Future<SocketAddress> find(MoveHandler handler, SocketAddress remote, ChannelPromise promise) {
      return Future.succeededFuture(remote);
    }

    @Override
    public void connected(MoveHandler handler) {
      dialer.connect(link -> stream(link)).map(made -> bridged(made, loop, home))
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
}
