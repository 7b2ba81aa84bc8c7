package io.github.vertxrdma.impl.transport;

import io.vertx.core.Completable;
import java.net.SocketAddress;

/** Stream that delegates to another stream, which subclasses may replace. */
abstract class StreamWrapper implements ByteStream {
  ByteStream stream;

  StreamWrapper(ByteStream stream) {
    this.stream = stream;
  }

  @Override
  public void control(byte kind, long offset, Completable<Void> done) {
    stream.control(kind, offset, done);
  }

  @Override
  public void suspect(String why) {
    stream.suspect(why);
  }

  @Override
  public int maxWrite() {
    return stream.maxWrite();
  }

  @Override
  public int window() {
    return stream.window();
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
  public void closing() {
    stream.closing();
  }

  @Override
  public void close() {
    stream.close();
  }

  @Override
  public void abort(String why) {
    stream.abort(why);
  }

  @Override
  public String peer() {
    return stream.peer();
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
