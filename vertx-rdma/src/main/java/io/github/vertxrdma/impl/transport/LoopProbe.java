package io.github.vertxrdma.impl.transport;

import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;

/** Looks like an accepted channel and learns which event loop a server would give it to; it is never registered and then forgotten. */
final class LoopProbe extends AbstractChannel {
  private static final ChannelMetadata METADATA = new ChannelMetadata(false);

  private final ChannelConfig config = new DefaultChannelConfig(this) {
    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
      return true;
    }
  };
  /** Made, and assigned, while the superclass is constructed. */
  private AbstractUnsafe own;
  private final Unsafe probe;
  private EventLoop given;

  LoopProbe(Channel parent) {
    super(parent);
    probe = new ProbeUnsafe(own, loop -> given = loop);
  }

  /** The loop it was given to; null if it was given to none. */
  EventLoop given() {
    return given;
  }

  @Override
  public Unsafe unsafe() {
    return probe == null ? own : probe;
  }

  @Override
  protected AbstractUnsafe newUnsafe() {
    own = new AbstractUnsafe() {
      @Override
      public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
        promise.setFailure(new UnsupportedOperationException());
      }
    };
    return own;
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return false;
  }

  @Override
  protected SocketAddress localAddress0() {
    return null;
  }

  @Override
  protected SocketAddress remoteAddress0() {
    return null;
  }

  @Override
  protected void doBind(SocketAddress local) {
  }

  @Override
  protected void doDisconnect() {
  }

  @Override
  protected void doClose() {
  }

  @Override
  protected void doBeginRead() {
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer in) {
  }

  @Override
  public ChannelConfig config() {
    return config;
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public boolean isActive() {
    return false;
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
  }
}
