package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslClientHelloHandler;
import io.netty.handler.ssl.SslHandler;
import io.vertx.core.Completable;
import java.net.SocketAddress;

/**
 * Stream that transfers bytes only while a TLS handler is in the pipeline. Checks the first record sent, since a TLS handler may begin in
 * plaintext.
 */
final class EncryptedStream extends StreamWrapper {
  /** Constants of TLS, RFC 8446, 4 and 5.1. */
  private static final int ALERT = 21;
  private static final int HANDSHAKE = 22;
  private static final int CLIENT_HELLO = 1;
  private static final int SERVER_HELLO = 2;
  private static final int MAJOR_VERSION = 3;
  private static final int HEADER = 5;

  private final ChannelPipeline pipeline;
  private Receiver receiver;
  private boolean written;
  private boolean broken;

  EncryptedStream(ByteStream stream, ChannelPipeline pipeline) {
    super(stream);
    this.pipeline = pipeline;
  }

  @Override
  public void start(Receiver to) {
    boolean refused = broken;
    receiver = to;
    stream.start(new Receiver() {
      @Override
      public void received(ByteBuf bytes) {
        if (broken || !hasTls(pipeline)) {
          bytes.release();
          refuse();
        } else {
          to.received(bytes);
        }
      }

      @Override
      public void ended() {
        to.ended();
      }

      @Override
      public void closed(Throwable cause) {
        if (!broken) {
          to.closed(cause);
        }
      }
    });
    if (refused) {
      to.closed(refusal());
    }
  }

  @Override
  public void write(ByteBuf bytes, Completable<Void> done) {
    if (broken || !hasTls(pipeline) || !written && !beginsTls(bytes)) {
      bytes.release();
      done.fail(refusal());
      refuse();
      return;
    }
    written = true;
    stream.write(bytes, done);
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

  private void refuse() {
    if (!broken) {
      broken = true;
      stream.abort(refusal().getMessage());
      if (receiver != null) {
        receiver.closed(refusal());
      }
    }
  }

  private RdmaException refusal() {
    return refusal(stream.remoteAddress());
  }

  static RdmaException refusal(SocketAddress remote) {
    return new RdmaException(Reason.ACCESS_DENIED, "the connection with " + remote + " was closed, since "
      + "requireEncryption is set and its first bytes are not TLS. Use setSsl(true) at both ends");
  }
}
