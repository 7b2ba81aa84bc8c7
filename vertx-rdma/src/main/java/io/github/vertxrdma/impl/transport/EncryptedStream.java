package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import java.net.SocketAddress;

/**
 * Lets TLS pass and nothing else. TLS begins with a record of type handshake (22) and major version 3 in both directions (RFC 8446, 5.1);
 * from then on its own records guard it.
 */
final class EncryptedStream implements ByteStream {
  private static final int HANDSHAKE = 22;
  private static final int MAJOR_VERSION = 3;

  private final ByteStream stream;
  private Receiver receiver;
  private boolean written;
  private boolean read;
  private boolean broken;

  EncryptedStream(ByteStream stream) {
    this.stream = stream;
  }

  @Override
  public void start(Receiver to) {
    receiver = to;
    stream.start(new Receiver() {
      @Override
      public void received(ByteBuf bytes) {
        if (broken || !read && !beginsTls(bytes)) {
          bytes.release();
          refuse();
          return;
        }
        read = true;
        to.received(bytes);
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
  }

  @Override
  public void write(ByteBuf bytes, Completable<Void> done) {
    if (broken || !written && !beginsTls(bytes)) {
      bytes.release();
      done.fail(refusal());
      refuse();
      return;
    }
    written = true;
    stream.write(bytes, done);
  }

  private static boolean beginsTls(ByteBuf bytes) {
    int at = bytes.readerIndex();
    return bytes.readableBytes() > 1 && bytes.getByte(at) == HANDSHAKE && bytes.getByte(at + 1) == MAJOR_VERSION;
  }

  private void refuse() {
    if (!broken) {
      broken = true;
      stream.abort();
      if (receiver != null) {
        receiver.closed(refusal());
      }
    }
  }

  private RdmaException refusal() {
    return new RdmaException(Reason.ACCESS_DENIED, "the connection with " + stream.remoteAddress() + " was cut before anything passed that"
      + " is not TLS, since requireEncryption is set: use setSsl(true) at both ends");
  }

  @Override
  public int maxWrite() {
    return stream.maxWrite();
  }

  @Override
  public void receiving(boolean on) {
    stream.receiving(on);
  }

  @Override
  public void end() {
    stream.end();
  }

  @Override
  public void close() {
    stream.close();
  }

  @Override
  public void abort() {
    stream.abort();
  }

  @Override
  public SocketAddress localAddress() {
    return stream.localAddress();
  }

  @Override
  public SocketAddress remoteAddress() {
    return stream.remoteAddress();
  }
}
