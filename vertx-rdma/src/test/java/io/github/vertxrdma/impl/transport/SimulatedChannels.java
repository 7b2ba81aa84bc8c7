package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.link.Link;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DuplexChannel;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Function;

/** Channels over links, on event loops of the caller's. They are not registered yet. */
public final class SimulatedChannels {
  private static final InetSocketAddress HERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
  private static final InetSocketAddress THERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 2);

  /** Makes a link. */
  @FunctionalInterface
  public interface Dialer {
    /** @param opener for the open link, on its loop @return what the opener made; completes on the channel's loop or that of the link */
    Future<Object> connect(Function<Link, Object> opener);
  }

  private SimulatedChannels() {
  }

  /** Returns whether an exception of a channel tells that its peer ended. */
  public static boolean isEndOfPeer(Throwable cause) {
    return cause instanceof ByteStream.PeerEnded;
  }

  private static ByteStream stream(Link link) {
    return new LinkStream(link, HERE, () -> {
    }).remoteAddress(THERE);
  }

  /** An accepted channel; on the loop of the link. */
  public static DuplexChannel accepted(Link link, EventLoop loop) {
    return new RdmaChannel(null, stream(link), loop, false);
  }

  /** An accepted channel over TCP. */
  public static DuplexChannel accepted(SimulatedTcp tcp, EventLoop loop) {
    return new RdmaChannel(null, tcp.server(), loop, false);
  }

  /**
   * Makes a channel that is to be connected by TCP and moves to a link.
   *
   * @param dialer completes with null if no fabric reaches the peer now
   * @param home its event loop
   * @param loop that of the link
   */
  public static DuplexChannel movable(SimulatedTcp tcp, Dialer dialer, EventLoop home, EventLoop loop) {
    return new RdmaChannel((channel, remote, local) -> Future.succeededFuture(new MovableStream(tcp.client(), home,
      () -> dialer.connect(SimulatedChannels::stream).map(made -> bridged(made, loop, home)), channel::resumeWrites)), false);
  }

  /** Returns whether a movable channel waits for the peer to have read what was written by TCP. */
  public static boolean isMoving(DuplexChannel channel) {
    return ((RdmaChannel) channel).stream().window() == 0;
  }

  private static ByteStream bridged(Object made, EventLoop loop, EventLoop home) {
    return home == loop || made == null ? (ByteStream) made : new BridgedStream((ByteStream) made, loop, home);
  }

  /** A channel that is to be connected. @param home its event loop @param loop that of the link */
  public static DuplexChannel connecting(Dialer dialer, EventLoop home, EventLoop loop) {
    return new RdmaChannel((channel, remote, local) -> dialer.connect(SimulatedChannels::stream)
      .map(made -> bridged(made, loop, home)), false);
  }
}
