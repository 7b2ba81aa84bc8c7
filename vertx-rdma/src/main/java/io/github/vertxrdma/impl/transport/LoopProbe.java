package io.github.vertxrdma.impl.transport;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.SocketAddress;

/**
 * Looks like an accepted channel to a server's acceptor, the last of its handlers, and learns which event loop that would give it to. No
 * other handler sees it, it takes none of its own, and it is never registered.
 */
final class LoopProbe extends AbstractChannel {
  private static final ChannelMetadata METADATA = new ChannelMetadata(false);
  /** A pipeline that takes no handlers: those of the server's children may be for one channel each. */
  private static final ChannelPipeline PIPELINE = proxy(ChannelPipeline.class,
    (pipeline, method, arguments) -> method.getReturnType() == ChannelPipeline.class ? pipeline : null);

  private final ChannelConfig config = new DefaultChannelConfig(this) {
    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
      return true;
    }
  };
  private EventLoop given;
  /** An acceptor calls nothing of it but what gives the channel to an event loop. */
  private final Unsafe probe = proxy(Unsafe.class, (unsafe, method, arguments) -> {
    if (method.getName().equals("register")) {
      given = (EventLoop) arguments[0];
    }
    return null;
  });

  private LoopProbe(Channel parent) {
    super(parent);
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(LoopProbe.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  /** The event loop that is next in turn among those a server gives channels to; null if it was not made by a bootstrap. */
  static EventLoop worker(Channel server) {
    ChannelHandlerContext acceptor = server.pipeline().lastContext();
    if (acceptor == null || acceptor.handler().getClass().getEnclosingClass() != ServerBootstrap.class) {
      return null;
    }
    LoopProbe probe = new LoopProbe(server);
    try {
      ((ChannelInboundHandler) acceptor.handler()).channelRead(acceptor, probe);
    } catch (Exception e) {
      acceptor.fireExceptionCaught(e);
    }
    return probe.given;
  }

  @Override
  public ChannelPipeline pipeline() {
    return PIPELINE;
  }

  @Override
  public Unsafe unsafe() {
    return probe;
  }

  /** For the superclass, which does not call it. */
  @Override
  protected AbstractUnsafe newUnsafe() {
    return new AbstractUnsafe() {
      @Override
      public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
        promise.setFailure(new UnsupportedOperationException());
      }
    };
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
