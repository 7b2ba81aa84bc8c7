package io.github.vertxrdma.impl.transport;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;

/** Fake accepted channel, which finds the event loop of a server's next channel. */
final class LoopProbe extends EmbeddedChannel {
  /** Thrown by {@code closeForcibly}, so that the acceptor does not log a failed registration. */
  private static final RuntimeException NO_LOOPS = new RuntimeException("the server has no event loops", null, false, false) {
  };
  /** Ignores added handlers, since a child handler may serve only one channel. */
  private static final ChannelPipeline PIPELINE = proxy(ChannelPipeline.class,
    (pipeline, method, arguments) -> method.getReturnType() == ChannelPipeline.class ? pipeline : null);

  private final ChannelConfig config = new DefaultChannelConfig(this) {
    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
      return true;
    }
  };
  private EventLoop given;
  private final Unsafe probe = proxy(Unsafe.class, (unsafe, method, arguments) -> {
    switch (method.getName()) {
      case "register" -> given = (EventLoop) arguments[0];
      case "closeForcibly" -> throw NO_LOOPS;
      default -> {
      }
    }
    return null;
  });

  private LoopProbe(Channel parent) {
    super(parent, DefaultChannelId.newInstance(), false, false);
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(LoopProbe.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  static boolean isMadeByBootstrap(Channel server) {
    ChannelHandlerContext acceptor = server.pipeline().lastContext();
    return acceptor != null && acceptor.handler().getClass().getEnclosingClass() == ServerBootstrap.class;
  }

  static boolean isBeforeAcceptor(ChannelHandlerContext context) {
    List<String> names = context.pipeline().names();
    return names.size() > 2 && names.get(names.size() - 3).equals(context.name());
  }

  static void accept(Channel server, Channel child) {
    ChannelHandlerContext acceptor = server.pipeline().lastContext();
    try {
      ((ChannelInboundHandler) acceptor.handler()).channelRead(acceptor, child);
    } catch (Exception e) {
      if (e != NO_LOOPS) {
        acceptor.fireExceptionCaught(e);
      }
    }
  }

  /** Returns the server's next event loop, or null if none exists yet: Vert.x 5.2 may add them after the bind. */
  static EventLoop worker(Channel server) {
    LoopProbe probe = new LoopProbe(server);
    accept(server, probe);
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

  @Override
  public ChannelConfig config() {
    return config;
  }
}
