package io.github.vertxrdma.differential;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerOptions;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Reads one row: a server, a consumer of the event bus, or the client of a server that writes. */
final class Inbound extends VerticleBase {
  static final ServiceMethod<Buffer, Buffer> METHOD = ServiceMethod.server(ServiceName.create("differential.Rows"), "Write",
    GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY);
  private static final String HOST = "127.0.0.1";

  private final int row;
  private final Kind kind;
  private final Sink sink;
  /** Milliseconds until a request is answered. */
  private final long delay;
  private int port;
  private HttpServer httpServer;
  private NetServer netServer;
  /** Keeps a reference, because Vert.x closes an unreferenced client. */
  private HttpClient client;

  Inbound(JsonObject json) {
    this.row = json.getInteger("index");
    this.kind = Kind.valueOf(json.getString("kind"));
    this.port = json.getInteger("port", 0);
    this.delay = json.getLong("delay", 0L);
    this.sink = new Sink(row, Load.parse(json.getString("load")).size(), Reader.valueOf(json.getString("reader")));
  }

  Sink sink() {
    return sink;
  }

  int port() {
    return port;
  }

  static String address(int row) {
    return "row-" + row;
  }

  @Override
  public Future<?> start() {
    return switch (kind) {
      case PUBLISH, SEND, REQUEST, REFUSAL -> consume();
      case NET, CHANNEL, FAILURES -> {
        netServer = vertx.createNetServer(new NetServerOptions().setReusePort(kind == Kind.FAILURES)).connectHandler(this::socket);
        yield netServer.listen(port, HOST).onSuccess(server -> port = server.actualPort());
      }
      case RESPONSE1, RESPONSE2 -> Future.succeededFuture();
      case HTTP1, HTTP2, WEBSOCKET, GRPC -> {
        httpServer = vertx.createHttpServer();
        if (kind == Kind.WEBSOCKET) {
          httpServer.webSocketHandler(this::webSocket);
        } else {
          httpServer.connectionHandler(connection -> connection.closeHandler(v -> sink.event("close")))
            .requestHandler(kind == Kind.GRPC ? grpc() : (Handler<HttpServerRequest>) this::request);
        }
        yield httpServer.listen(port, HOST).onSuccess(server -> port = server.actualPort());
      }
    };
  }

  /** Lets requests in progress end, as applications do. */
  @Override
  public Future<?> stop() {
    if (delay == 0 || httpServer == null) {
      return Future.succeededFuture();
    }
    Output.line("=stop " + new JsonObject().put("millis", Program.millisOfClose()));
    return httpServer.shutdown(10, TimeUnit.SECONDS);
  }

  Future<?> dial(int server) {
    Promise<Void> done = Promise.promise();
    client = vertx.createHttpClient(Outbound.options(kind));
    context.runOnContext(v -> client.request(HttpMethod.GET, server, HOST, "/").compose(HttpClientRequest::send).onSuccess(this::response)
      .<Void>mapEmpty().onComplete(done));
    return done.future();
  }

  private void response(HttpClientResponse response) {
    sink.opened(response::resume);
    if (sink.isPaused()) {
      response.pause();
    }
    response.handler(sink::bytes).exceptionHandler(cause -> sink.event("exception " + cause)).endHandler(v -> sink.event("end"));
    response.request().connection().closeHandler(v -> sink.event("close"));
  }

  private Future<Void> consume() {
    MessageConsumer<Buffer> consumer = vertx.eventBus().consumer(address(row));
    sink.opened(consumer::resume);
    return consumer.handler(this::busMessage).completion();
  }

  private void busMessage(Message<Buffer> message) {
    sink.message(message.body());
    if (kind == Kind.REQUEST) {
      message.reply("read");
    } else if (kind == Kind.REFUSAL) {
      message.reply(new Refusal("not for us"));
    }
  }

  private void socket(NetSocket socket) {
    sink.opened(socket::resume);
    if (sink.isPaused()) {
      socket.pause();
    }
    socket.handler(sink::bytes).exceptionHandler(cause -> sink.event("exception " + cause)).endHandler(v -> sink.event("end"))
      .closeHandler(v -> sink.event("close"));
  }

  private void webSocket(ServerWebSocket socket) {
    sink.opened(socket::resume);
    if (sink.isPaused()) {
      socket.pause();
    }
    socket.handler(sink::bytes).exceptionHandler(cause -> sink.event("exception " + cause)).endHandler(v -> sink.event("end"))
      .closeHandler(v -> sink.event("close"));
  }

  private void request(HttpServerRequest request) {
    sink.opened(request::resume);
    if (sink.isPaused()) {
      request.pause();
    }
    request.handler(sink::bytes).exceptionHandler(cause -> sink.event("exception " + cause)).endHandler(v -> {
      sink.event("end");
      answer(() -> request.response().end("read"));
    });
  }

  private GrpcServer grpc() {
    return GrpcServer.server(vertx, new GrpcServerOptions().setMaxMessageSize(4 << 20)).callHandler(METHOD, call -> {
      sink.opened(call::resume);
      if (sink.isPaused()) {
        call.pause();
      }
      call.handler(sink::message).exceptionHandler(cause -> sink.event("exception " + cause)).endHandler(v -> {
        sink.event("end");
        answer(() -> call.response().end(Buffer.buffer("read")));
      });
    });
  }

  private void answer(Supplier<Future<Void>> answer) {
    if (delay == 0) {
      end(answer);
    } else {
      vertx.setTimer(delay, timer -> end(answer));
    }
  }

  private void end(Supplier<Future<Void>> answer) {
    try {
      answer.get();
    } catch (IllegalStateException closed) {
      // A client that closes does not wait for the answer.
    }
  }
}
