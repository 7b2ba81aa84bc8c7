package io.github.vertxrdma.grpc.impl;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.GoAway;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpSettings;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import javax.net.ssl.SSLSession;

/** View of an RDMA connection as an {@link HttpConnection}. Methods that are specific to HTTP throw. */
final class ConnectionView implements HttpConnection {
  private final CallLink<?> channel;

  ConnectionView(CallLink<?> channel) {
    this.channel = channel;
  }

  private static UnsupportedOperationException none(String what) {
    return new UnsupportedOperationException("cannot use the " + what + " of HTTP: this call uses an RDMA connection");
  }

  @Override
  public HttpVersion protocolVersion() {
    throw none("version");
  }

  @Override
  @SuppressWarnings("deprecation")
  public HttpConnection goAway(long errorCode, int lastStreamId, Buffer debugData) {
    throw none("GOAWAY");
  }

  @Override
  public HttpConnection goAwayHandler(Handler<GoAway> handler) {
    throw none("GOAWAY");
  }

  @Override
  public HttpConnection shutdownHandler(Handler<Void> handler) {
    channel.connection.shutdownHandler(handler == null ? null : left -> handler.handle(null));
    return this;
  }

  @Override
  public Future<Void> shutdown(Duration timeout) {
    return timeout.isZero() ? channel.connection.shutdown() : channel.connection.shutdown(timeout);
  }

  @Override
  public HttpConnection closeHandler(Handler<Void> handler) {
    channel.closeHandler(handler);
    return this;
  }

  @Override
  public HttpConnection exceptionHandler(Handler<Throwable> handler) {
    channel.exceptionHandler(handler);
    return this;
  }

  @Override
  public HttpSettings settings() {
    throw none("settings");
  }

  @Override
  public Future<Void> updateSettings(HttpSettings settings) {
    throw none("settings");
  }

  @Override
  public HttpSettings remoteSettings() {
    throw none("settings");
  }

  @Override
  public HttpConnection remoteSettingsHandler(Handler<HttpSettings> handler) {
    throw none("settings");
  }

  @Override
  public Future<Buffer> ping(Buffer data) {
    throw none("ping");
  }

  @Override
  public HttpConnection pingHandler(Handler<Buffer> handler) {
    throw none("ping");
  }

  @Override
  public SocketAddress remoteAddress() {
    return channel.connection.remoteAddress();
  }

  @Override
  public SocketAddress remoteAddress(boolean real) {
    return remoteAddress();
  }

  @Override
  public SocketAddress localAddress() {
    return channel.connection.localAddress();
  }

  @Override
  public SocketAddress localAddress(boolean real) {
    return localAddress();
  }

  @Override
  public boolean isSsl() {
    return false;
  }

  @Override
  public SSLSession sslSession() {
    return null;
  }

  @Override
  public String indicatedServerName() {
    return null;
  }
}
