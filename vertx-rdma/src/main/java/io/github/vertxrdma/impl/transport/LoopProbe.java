package io.github.vertxrdma.impl.transport;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.EventLoop;
import java.lang.reflect.Proxy;
import java.util.List;

/** Passes channels to the acceptor of a server, and finds the event loop of the server's next channel. */
final class LoopProbe {
  /** Thrown by {@code closeForcibly}, so that the acceptor does not log a failed registration. */
  private static final RuntimeException NO_LOOPS = new RuntimeException("the server has no event loops", null, false, false) {
  };

  private EventLoop given;

  private LoopProbe() {
  }

  /**
   * Returns an object that stands in for an accepted channel, or for one of its parts. Its methods do nothing, except {@code
   * register} and {@code closeForcibly}.
   */
  private <T> T standIn(Class<T> type) {
    return type.cast(Proxy.newProxyInstance(LoopProbe.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
      Class<?> result = method.getReturnType();
      if (method.getName().equals("register")) {
        given = (EventLoop) arguments[0];
      } else if (method.getName().equals("closeForcibly")) {
        throw NO_LOOPS;
      }
      return result.isInstance(self) ? self : result.isInterface() ? standIn(result) : result == boolean.class ? Boolean.TRUE : null;
    }));
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
    LoopProbe probe = new LoopProbe();
    accept(server, probe.standIn(Channel.class));
    return probe.given;
  }
}
