package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.link.Link;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DuplexChannel;
import io.vertx.core.Future;
import io.vertx.core.Promise;
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

  private static ByteStream stream(Link link) {
    return new LinkStream(link, HERE, () -> {
    }).remoteAddress(THERE);
  }

  public static DuplexChannel accepted(Link link, EventLoop loop) {
    return new RdmaChannel(null, stream(link), loop, false);
  }

  public static DuplexChannel accepted(SimulatedTcp tcp, EventLoop loop) {
    return new RdmaChannel(null, tcp.server(), loop, false);
  }

  /**
   * @param dialer completes with null if no fabric reaches the peer now
   * @param home the channel's event loop
   * @param loop that of the link
   */
  public static DuplexChannel movable(SimulatedTcp tcp, Dialer dialer, EventLoop home, EventLoop loop) {
    return new RdmaChannel((channel, remote, local) -> Future.succeededFuture(new MovableStream(tcp.client(), home,
      new Redialer(dialer, home, loop), channel::resumeWrites)), false);
  }

  private static final class Redialer implements MovableStream.Dialer {
    private final Dialer dialer;
    private final EventLoop home;
    private final EventLoop loop;
    private final Promise<ByteStream> connected = Promise.promise();
    private boolean stopped;

    Redialer(Dialer dialer, EventLoop home, EventLoop loop) {
      this.dialer = dialer;
      this.home = home;
      this.loop = loop;
    }

    @Override
    public Future<ByteStream> dial() {
      dialer.connect(SimulatedChannels::stream).map(made -> bridged(made, loop, home)).onComplete((made, cause) -> home.execute(() -> {
        if (made != null) {
          connected.complete(made);
        } else if (!stopped) {
          home.schedule((Runnable) this::dial, 1, TimeUnit.SECONDS);
        }
      }));
      return connected.future();
    }

    @Override
    public void stop() {
      stopped = true;
    }
  }

  public static boolean isMoving(DuplexChannel channel) {
    return ((RdmaChannel) channel).stream().window() == 0;
  }

  private static ByteStream bridged(Object made, EventLoop loop, EventLoop home) {
    return home == loop || made == null ? (ByteStream) made : new BridgedStream((ByteStream) made, loop, home);
  }

  public static DuplexChannel connecting(Dialer dialer, EventLoop home, EventLoop loop) {
    return new RdmaChannel((channel, remote, local) -> dialer.connect(SimulatedChannels::stream)
      .map(made -> bridged(made, loop, home)), false);
  }
}
