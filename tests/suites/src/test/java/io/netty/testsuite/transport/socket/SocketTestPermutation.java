package io.netty.testsuite.transport.socket;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.util.AttributeKey;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.transport.Transport;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;

/** Replaces the class of this name in Netty's jar. */
public class SocketTestPermutation {
  /** Reserved for documentation by RFC 5737. */
  static final String BAD_HOST = "198.51.100.254";
  static final int BAD_PORT = 65535;
  public static final int UNASSIGNED_PORT = 4;
  static final SocketTestPermutation INSTANCE = new SocketTestPermutation();

  private final VertxInternal vertx = (VertxInternal) Vertx.builder().withTransport(io.vertx.core.transport.Transport.EPOLL).build();
  private final Transport transport = vertx.transport();

  public List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> socket() {
    return List.of(new BootstrapComboFactory<>() {
      @Override
      public ServerBootstrap newServerInstance() {
        return server();
      }

      @Override
      public Bootstrap newClientInstance() {
        return new Client();
      }
    });
  }

  public List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> socketWithFastOpen() {
    return socket();
  }

  public List<BootstrapFactory<ServerBootstrap>> serverSocket() {
    return List.of(this::server);
  }

  public List<BootstrapFactory<Bootstrap>> clientSocket() {
    return List.of(Client::new);
  }

  public List<BootstrapFactory<Bootstrap>> clientSocketWithFastOpen() {
    return clientSocket();
  }

  private ServerBootstrap server() {
    return new ServerBootstrap().group(vertx.acceptorEventLoopGroup(), vertx.nettyEventLoopGroup())
      .channelFactory(transport.serverChannelFactory(false));
  }

  /** Converts an address before it makes the channel, as Vert.x does. */
  private final class Client extends Bootstrap {
    Client() {
      group(vertx.nettyEventLoopGroup()).channelFactory(transport.channelFactory(false)::newChannel);
    }

    @Override
    public ChannelFuture connect() {
      convert(config().remoteAddress());
      return super.connect();
    }

    @Override
    public ChannelFuture connect(SocketAddress remote) {
      convert(remote);
      return super.connect(remote);
    }

    @Override
    public ChannelFuture connect(SocketAddress remote, SocketAddress local) {
      convert(remote);
      return super.connect(remote, local);
    }

    private void convert(SocketAddress remote) {
      if (remote instanceof InetSocketAddress inet) {
        transport.convert(io.vertx.core.net.SocketAddress.inetSocketAddress(inet));
      }
    }

    @Override
    @SuppressWarnings("unchecked")
    public Bootstrap clone() {
      Client copy = new Client();
      config().options().forEach((option, value) -> copy.option((ChannelOption<Object>) option, value));
      config().attrs().forEach((key, value) -> copy.attr((AttributeKey<Object>) key, value));
      copy.handler(config().handler()).localAddress(config().localAddress()).remoteAddress(config().remoteAddress());
      return copy;
    }
  }
}
