package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslClientHelloHandler;
import io.netty.handler.ssl.SslHandler;
import java.net.SocketAddress;

/** Checks of {@code requireEncryption}: a TLS handler is in the pipeline, and the first record sent is one of TLS. */
final class TlsRule {
  /** Constants of TLS, RFC 8446, 4 and 5.1. */
  private static final int ALERT = 21;
  private static final int HANDSHAKE = 22;
  private static final int CLIENT_HELLO = 1;
  private static final int SERVER_HELLO = 2;
  private static final int MAJOR_VERSION = 3;
  private static final int HEADER = 5;

  private TlsRule() {
  }

  /** Returns whether bytes are the first ones of TLS. */
  static boolean beginsTls(ByteBuf bytes) {
    int at = bytes.readerIndex();
    if (bytes.readableBytes() <= HEADER || bytes.getByte(at + 1) != MAJOR_VERSION) {
      return false;
    }
    int message = bytes.getByte(at + HEADER);
    return switch (bytes.getByte(at)) {
      case HANDSHAKE -> message == CLIENT_HELLO || message == SERVER_HELLO;
      case ALERT -> bytes.getUnsignedShort(at + 3) == 2;
      default -> false;
    };
  }

  static boolean hasTls(ChannelPipeline pipeline) {
    return pipeline.get(SslHandler.class) != null || pipeline.get(SslClientHelloHandler.class) != null;
  }

  static RdmaException refusal(SocketAddress remote) {
    return new RdmaException(Reason.ACCESS_DENIED, "the connection with " + remote + " was closed, since "
      + "requireEncryption is set and its first bytes are not TLS. Use setSsl(true) at both ends");
  }
}
