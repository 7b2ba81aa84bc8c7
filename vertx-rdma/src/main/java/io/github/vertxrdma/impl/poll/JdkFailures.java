package io.github.vertxrdma.impl.poll;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelProgressivePromise;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * First handler of Netty's native channels that were put in the place of NIO channels. Failures get the classes of {@code java.*} and the
 * texts of NIO channels, which applications compare.
 */
@ChannelHandler.Sharable
public class JdkFailures extends ChannelDuplexHandler {
  /** Text of native channels: the exception that it was copied from, the method, the negative errno(3), and the kernel's text. */
  private static final Pattern NATIVE = Pattern.compile("(?:\\S+: )?(\\w[\\w ]*)\\(\\.\\.\\) failed with error\\((-\\d+)\\): ?(.*)",
    Pattern.DOTALL);
  private static final JdkFailures CONNECTION = new JdkFailures();
  private static final JdkFailures SERVER = new JdkFailures() {
    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      ((Channel) accepted).pipeline().addLast(CONNECTION);
      context.fireChannelRead(accepted);
    }
  };
  private static final UnaryOperator<Throwable> TRANSLATED = JdkFailures::translated;
  private static final UnaryOperator<Throwable> TO_PORT_ZERO = cause -> traced(new SocketException("Can't send to port 0"), cause);
  private static final int EACCES = 13;
  private static final int ENAMETOOLONG = 36;
  private static final int EAFNOSUPPORT = 97;
  private static final int EADDRINUSE = 98;
  private static final int EADDRNOTAVAIL = 99;
  private static final int ECONNRESET = 104;
  private static final int ETIMEDOUT = 110;
  private static final int ECONNREFUSED = 111;
  private static final int EHOSTUNREACH = 113;

  private JdkFailures() {
  }

  /** Returns a factory whose channels have this handler. */
  public static <C extends Channel> ChannelFactory<C> of(ChannelFactory<C> factory) {
    return () -> {
      try {
        C channel = factory.newChannel();
        channel.pipeline().addLast(channel instanceof ServerChannel ? SERVER : CONNECTION);
        return channel;
      } catch (ChannelException e) {
        throw e.getCause() == null ? e : new ChannelException("Failed to open a socket.", translated(e.getCause()));
      }
    };
  }

  /** Returns the text of the failure, without the words that native channels put before that of the kernel. */
  public static String words(Throwable cause) {
    Matcher words = NATIVE.matcher(String.valueOf(cause.getMessage()));
    return words.matches() ? words.group(3) : String.valueOf(cause.getMessage());
  }

  /** Adds this handler again: Vert.x's HTTP client removes all handlers of a new connection, except that of TLS. */
  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    if (context.channel().isOpen()) {
      LoopCall.execute(context.channel().eventLoop(), () -> {
        if (context.channel().isOpen() && context.pipeline().context(this) == null) {
          context.pipeline().addFirst(this);
        }
      });
    }
  }

  @Override
  public void bind(ChannelHandlerContext context, SocketAddress local, ChannelPromise promise) {
    // Netty's epoll channels delete a file at this path, also one that another process makes after this check.
    if (local instanceof DomainSocketAddress domain && !domain.path().startsWith("\0")
      && Files.exists(Path.of(domain.path()), LinkOption.NOFOLLOW_LINKS)) {
      promise.tryFailure(new BindException("Address already in use"));
    } else {
      context.bind(local, translating(context, promise, TRANSLATED));
    }
  }

  @Override
  public void connect(ChannelHandlerContext context, SocketAddress remote, SocketAddress local, ChannelPromise promise) {
    if (context.pipeline().firstContext() != context) {
      // The handler of a proxy was added in front. It connects to another address.
      context.pipeline().remove(this).addFirst(this);
      context.connect(remote, local, promise);
      return;
    }
    ChannelPromise translating = translating(context, promise, cause -> ofConnect(cause, remote));
    promise.addListener(future -> {
      if (future.isCancelled()) {
        translating.cancel(false);
      }
    });
    context.connect(remote, local, translating);
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    boolean toPortZero = message instanceof DatagramPacket packet && packet.recipient() != null && packet.recipient().getPort() == 0;
    context.write(message, translating(context, promise, toPortZero ? TO_PORT_ZERO : TRANSLATED));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.fireExceptionCaught(translated(cause));
  }

  private static ChannelPromise translating(ChannelHandlerContext context, ChannelPromise promise, UnaryOperator<Throwable> translation) {
    if (promise.isVoid() || promise instanceof ChannelProgressivePromise) {
      return promise;
    }
    return new DefaultChannelPromise(context.channel(), context.executor()) {
      @Override
      public boolean setUncancellable() {
        return promise.setUncancellable() && super.setUncancellable();
      }

      @Override
      public ChannelPromise setSuccess(Void result) {
        trySuccess(result);
        return this;
      }

      @Override
      public boolean trySuccess(Void result) {
        return super.trySuccess(result) && promise.trySuccess(result);
      }

      @Override
      public ChannelPromise setFailure(Throwable cause) {
        tryFailure(cause);
        return this;
      }

      @Override
      public boolean tryFailure(Throwable cause) {
        Throwable found = cause;
        try {
          found = translation.apply(cause);
        } catch (RuntimeException e) {
          found.addSuppressed(e);
        }
        return super.tryFailure(found) && promise.tryFailure(found);
      }
    };
  }

  private static Throwable translated(Throwable cause) {
    if (cause instanceof PortUnreachableException) {
      return traced(new PortUnreachableException(), cause);
    }
    if (cause instanceof ClosedChannelException && cause.getCause() != null) {
      Throwable closed = translated(cause.getCause());
      return closed == cause.getCause() ? cause : traced(new ClosedChannelException().initCause(closed), cause);
    }
    Matcher words = NATIVE.matcher(String.valueOf(cause.getMessage()));
    return cause instanceof IOException && words.matches()
      ? traced(ofCall(words.group(1), -Integer.parseInt(words.group(2)), words.group(3)), cause) : cause;
  }

  private static Exception ofCall(String call, int errno, String text) {
    if (call.matches("(read|write).*|(recv|send)(Address)?|sendfile|splice|accept")) {
      return call.startsWith("re") && errno == ECONNRESET ? new SocketException("Connection reset") : new IOException(text);
    }
    return switch (errno) {
      case ECONNREFUSED, ETIMEDOUT -> new ConnectException(text);
      case EHOSTUNREACH -> new NoRouteToHostException(text);
      case EADDRINUSE, EADDRNOTAVAIL, EACCES -> new BindException(text);
      case EAFNOSUPPORT -> new UnsupportedAddressTypeException();
      case ENAMETOOLONG -> new SocketException("Unix domain path too long");
      default -> new SocketException(text);
    };
  }

  /** Adds the address as Netty does: its exceptions with an address have that without one as their cause. */
  private static Throwable ofConnect(Throwable cause, SocketAddress remote) {
    boolean annotated = cause instanceof SocketException && cause.getCause() instanceof SocketException;
    Throwable plain = annotated ? cause.getCause() : cause;
    Throwable found = switch (plain) {
      case NoRouteToHostException route when route.getMessage() == null -> unreachable(remote);
      case FileNotFoundException _ -> new SocketException("No such file or directory");
      default -> translated(plain);
    };
    if (found == plain || found instanceof UnsupportedAddressTypeException) {
      return found == plain ? cause : found;
    }
    String address = annotated ? cause.getMessage().substring(String.valueOf(plain.getMessage()).length()) : ": " + remote;
    String text = found.getMessage() + address;
    SocketException all = found instanceof ConnectException ? new ConnectException(text)
      : found instanceof NoRouteToHostException ? new NoRouteToHostException(text) : new SocketException(text);
    return traced(all.initCause(traced(found, plain)), cause);
  }

  /**
   * Connects again, from any local address, to find out the error: Netty has the same exception for an unreachable network and an
   * unreachable host.
   */
  private static IOException unreachable(SocketAddress remote) {
    try (SocketChannel probe = SocketChannel.open()) {
      probe.configureBlocking(false);
      probe.connect(remote);
      return new NoRouteToHostException("No route to host");
    } catch (IOException e) {
      return String.valueOf(e.getMessage()).endsWith("unreachable") ? e : new NoRouteToHostException("No route to host");
    }
  }

  private static Throwable traced(Throwable translated, Throwable cause) {
    translated.setStackTrace(cause.getStackTrace());
    return translated;
  }
}
