package io.github.vertxrdma.differential;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageProducer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.streams.WriteStream;
import io.vertx.grpc.client.GrpcClient;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;

/** Writes one row by a client or a producer of the event bus. Confined to the context that connects it. */
abstract class Outbound {
  private static final int CONNECT_MILLIS = 30_000;

  final Vertx vertx;
  final int row;
  /** Completes when the answer to a request of HTTP or gRPC was read. */
  final Promise<Void> answer = Promise.promise();

  private Outbound(Vertx vertx, int row) {
    this.vertx = vertx;
    this.row = row;
  }

  /** @param host of the server; Netty resolves a name */
  static Outbound of(Vertx vertx, Kind kind, int row, String host, int port) {
    return switch (kind) {
      case PUBLISH, SEND, REQUEST, REFUSAL -> new Bus(vertx, row, kind);
      case NET -> new Net(vertx, row, host, port);
      case FAILURES -> new Failures(vertx, row, host, port);
      case CHANNEL -> new Raw(vertx, row, host, port);
      case HTTP1, HTTP2 -> new Http(vertx, row, kind, host, port);
      case RESPONSE1, RESPONSE2 -> new Response(vertx, row);
      case WEBSOCKET -> new Ws(vertx, row, host, port);
      case GRPC -> new Grpc(vertx, row, host, port);
    };
  }

  abstract Future<?> connect();

  abstract Future<?> write(Buffer message);

  Future<?> end() {
    return Future.succeededFuture();
  }

  abstract Future<?> close();

  abstract Future<?> shutdown();

  /** Returns the class of the channel, or null if an application cannot see it. */
  String channel() {
    return null;
  }

  Future<?> sendFile(String path) {
    throw new UnsupportedOperationException(path);
  }

  final void answered(AsyncResult<?> answered) {
    if (answered.succeeded()) {
      answer.tryComplete();
    } else {
      answer.tryFail(answered.cause());
    }
  }

  final void event(String event) {
    Output.line("!" + row + ' ' + event);
  }

  static HttpClientOptions options(Kind kind) {
    boolean first = kind == Kind.HTTP1 || kind == Kind.RESPONSE1;
    return new HttpClientOptions().setConnectTimeout(CONNECT_MILLIS).setProtocolVersion(first ? HttpVersion.HTTP_1_1
      : HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false);
  }

  private static final class Bus extends Outbound {
    private final Kind kind;
    private MessageProducer<Buffer> producer;

    Bus(Vertx vertx, int row, Kind kind) {
      super(vertx, row);
      this.kind = kind;
    }

    @Override
    Future<?> connect() {
      String address = Inbound.address(row);
      producer = kind == Kind.PUBLISH ? vertx.eventBus().publisher(address) : vertx.eventBus().sender(address);
      return Future.succeededFuture();
    }

    @Override
    Future<?> write(Buffer message) {
      return switch (kind) {
        case REQUEST -> vertx.eventBus().request(Inbound.address(row), message);
        case REFUSAL -> vertx.eventBus().request(Inbound.address(row), message).transform(done -> {
          event(done.succeeded() ? "answered" : "refused " + done.cause().getClass().getName() + ' ' + done.cause().getMessage());
          return Future.succeededFuture();
        });
        default -> producer.write(message);
      };
    }

    @Override
    Future<?> close() {
      return producer.close();
    }

    @Override
    Future<?> shutdown() {
      return close();
    }
  }

  private static class Net extends Outbound {
    final NetClient client;
    final String host;
    final int port;
    private NetSocket socket;

    Net(Vertx vertx, int row, String host, int port) {
      super(vertx, row);
      this.client = vertx.createNetClient(new NetClientOptions().setConnectTimeout(CONNECT_MILLIS));
      this.host = host;
      this.port = port;
    }

    @Override
    Future<?> connect() {
      return client.connect(port, host).onSuccess(made -> {
        socket = made;
        made.exceptionHandler(cause -> event("exception " + cause)).closeHandler(v -> event("close"));
      });
    }

    @Override
    Future<?> write(Buffer message) {
      return socket.write(message);
    }

    @Override
    String channel() {
      return socket == null ? null : netty().channel().getClass().getSimpleName();
    }

    ChannelHandlerContext netty() {
      return ((NetSocketInternal) socket).channelHandlerContext();
    }

    @Override
    Future<?> sendFile(String path) {
      return socket.sendFile(path);
    }

    @Override
    Future<?> close() {
      return socket.close();
    }

    @Override
    Future<?> shutdown() {
      return client.shutdown(5, TimeUnit.SECONDS);
    }
  }

  private static final class Failures extends Net {
    private static final int UNUSED_PORT = 1;

    Failures(Vertx vertx, int row, String host, int port) {
      super(vertx, row, host, port);
    }

    @Override
    Future<?> close() {
      return provoke("taken port", listen(false)).compose(v -> provoke("port that another process shares", listen(true)))
        .compose(v -> provoke("refused connection", client.connect(UNUSED_PORT, host)))
        .compose(v -> provoke("reset connection", reset())).compose(v -> super.close());
    }

    private Future<?> provoke(String what, Future<?> failing) {
      return failing.transform(done -> {
        event(what + ": " + (done.succeeded() ? "none"
          : javaClass(done.cause().getClass()) + " " + done.cause().getMessage().replaceAll("[0-9]+", "N")));
        return Future.succeededFuture();
      });
    }

    /** Returns the class that applications catch: Netty's subclasses differ between its transports. */
    private static String javaClass(Class<?> type) {
      return type.getName().startsWith("java.") ? type.getName() : javaClass(type.getSuperclass());
    }

    private Future<?> listen(boolean shared) {
      return vertx.createNetServer(new NetServerOptions().setReusePort(shared)).connectHandler(NetSocket::close).listen(port, host);
    }

    private Future<?> reset() {
      try {
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName(host));
        return client.connect(server.getLocalPort(), host).compose(made -> {
          Promise<Void> failure = Promise.promise();
          made.exceptionHandler(failure::tryFail).closeHandler(v -> failure.tryComplete());
          try (server; Socket accepted = server.accept()) {
            accepted.setSoLinger(true, 0);
          } catch (IOException e) {
            failure.tryFail(e);
          }
          return failure.future();
        });
      } catch (IOException e) {
        return Future.failedFuture(e);
      }
    }
  }

  /** Uses the socket's channel without the handler of Vert.x, which would close the channel behind the last write. */
  private static final class Raw extends Net {
    Raw(Vertx vertx, int row, String host, int port) {
      super(vertx, row, host, port);
    }

    @Override
    Future<?> write(Buffer message) {
      return future(netty().writeAndFlush(((BufferInternal) message).getByteBuf()));
    }

    @Override
    Future<?> close() {
      return future(netty().close());
    }

    /** Ends the output of this side. */
    @Override
    Future<?> shutdown() {
      return future(((DuplexChannel) netty().channel()).shutdownOutput());
    }

    private static Future<?> future(ChannelFuture netty) {
      Promise<Void> promise = Promise.promise();
      netty.addListener(done -> {
        if (done.isSuccess()) {
          promise.complete();
        } else {
          promise.fail(done.cause());
        }
      });
      return promise.future();
    }
  }

  /** A request of a client of its own. */
  private abstract static class Request<R extends WriteStream<Buffer>> extends Outbound {
    final HttpClientAgent client;
    final String host;
    final int port;
    private R request;

    Request(Vertx vertx, int row, Kind kind, String host, int port) {
      super(vertx, row);
      this.client = vertx.createHttpClient(options(kind));
      this.host = host;
      this.port = port;
    }

    void begin(R made, HttpConnection connection, Future<Buffer> response) {
      request = made;
      made.exceptionHandler(cause -> event("exception " + cause));
      connection.closeHandler(v -> event("close"));
      response.onComplete(this::answered);
    }

    @Override
    Future<?> write(Buffer message) {
      return request.write(message);
    }

    @Override
    Future<?> end() {
      return request.end();
    }

    @Override
    Future<?> close() {
      return client.close();
    }

    @Override
    Future<?> shutdown() {
      return ((HttpClient) client).shutdown(5, TimeUnit.SECONDS);
    }
  }

  private static final class Http extends Request<HttpClientRequest> {
    Http(Vertx vertx, int row, Kind kind, String host, int port) {
      super(vertx, row, kind, host, port);
    }

    @Override
    Future<?> connect() {
      return client.request(HttpMethod.POST, port, host, "/")
        .onSuccess(made -> begin(made.setChunked(true), made.connection(), made.response().compose(HttpClientResponse::body)));
    }
  }

  /** A server that writes the response to one request. */
  private static final class Response extends Outbound {
    private final HttpServer server;
    private final Promise<Void> requested = Promise.promise();
    private HttpServerResponse response;

    Response(Vertx vertx, int row) {
      super(vertx, row);
      this.server = vertx.createHttpServer().requestHandler(this::requested);
    }

    private void requested(HttpServerRequest request) {
      response = request.response().exceptionHandler(cause -> event("exception " + cause));
      request.connection().closeHandler(v -> event("close"));
      requested.complete();
    }

    @Override
    Future<?> connect() {
      return server.listen(0, "127.0.0.1").compose(listening -> {
        Output.line("=listening " + new JsonObject().put("row", row).put("port", listening.actualPort()));
        return requested.future();
      });
    }

    @Override
    Future<?> write(Buffer message) {
      if (!response.headWritten()) {
        response.setChunked(true);
      }
      return response.write(message);
    }

    @Override
    Future<?> sendFile(String path) {
      return response.sendFile(path);
    }

    @Override
    Future<?> end() {
      return response.ended() ? Future.succeededFuture() : response.end();
    }

    @Override
    Future<?> close() {
      return server.close();
    }

    @Override
    Future<?> shutdown() {
      return server.shutdown(5, TimeUnit.SECONDS);
    }
  }

  private static final class Ws extends Outbound {
    private final WebSocketClient client;
    private final String host;
    private final int port;
    private WebSocket socket;

    Ws(Vertx vertx, int row, String host, int port) {
      super(vertx, row);
      this.client = vertx.createWebSocketClient();
      this.host = host;
      this.port = port;
    }

    @Override
    Future<?> connect() {
      return client.connect(port, host, "/").onSuccess(made -> {
        socket = made;
        made.exceptionHandler(cause -> event("exception " + cause)).closeHandler(v -> event("close"));
      });
    }

    @Override
    Future<?> write(Buffer message) {
      return socket.writeBinaryMessage(message);
    }

    @Override
    Future<?> close() {
      return socket.close();
    }

    @Override
    Future<?> shutdown() {
      return client.shutdown(5, TimeUnit.SECONDS);
    }
  }

  private static final class Grpc extends Request<GrpcClientRequest<Buffer, Buffer>> {
    private static final ServiceMethod<Buffer, Buffer> METHOD = ServiceMethod.client(ServiceName.create("differential.Rows"), "Write",
      GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY);
    private final GrpcClient calls;

    Grpc(Vertx vertx, int row, String host, int port) {
      super(vertx, row, Kind.GRPC, host, port);
      this.calls = GrpcClient.client(vertx, client);
    }

    @Override
    Future<?> connect() {
      return calls.request(SocketAddress.inetSocketAddress(port, host), METHOD)
        .onSuccess(made -> begin(made, made.connection(), made.response().compose(GrpcClientResponse::last)));
    }
  }
}
