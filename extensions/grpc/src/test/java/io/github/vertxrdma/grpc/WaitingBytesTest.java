package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcReadStream;
import io.vertx.grpc.common.GrpcWriteStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that are not read: at most 8 MiB of a call, 64 MiB of a connection, and 128 MiB of all connections of a peer. */
@Timeout(120)
class WaitingBytesTest extends Nodes {
  private static final int MIB = 1 << 20;
  private static final int CALLS = 20;
  private static final int EACH = 10;
  private static final int CONNECTIONS = 4;
  private static final Buffer MESSAGE = Buffer.buffer(new byte[MIB]);
  /** Maximum MiB in flight on a connection, beside those that wait for their readers. 7 were measured. */
  private static final int ON_THE_WAY = 16;

  private final AtomicInteger written = new AtomicInteger();
  private final AtomicInteger read = new AtomicInteger();
  private final List<GrpcReadStream<Buffer>> paused = new CopyOnWriteArrayList<>();

  private void write(GrpcWriteStream<Buffer> stream, int left) {
    if (left == 0) {
      stream.end();
    } else {
      stream.write(MESSAGE).onSuccess(v -> {
        written.incrementAndGet();
        write(stream, left - 1);
      });
    }
  }

  private void assertHeldBack(RdmaGrpcClient other) throws Exception {
    until("many messages wait", () -> written.get() >= 60);
    // More would arrive while other connections are used.
    for (int i = 0; i < 100; i++) {
      assertEquals(MESSAGE, await(unary(other, "Echo", MESSAGE)));
    }
    assertTrue(written.get() <= 64 + ON_THE_WAY, written.get() + " MiB were taken");
  }

  private void untilRead(int messages, List<Future<Void>> ends) throws Exception {
    until("all messages are read", () -> {
      paused.forEach(GrpcReadStream::resume);
      return read.get() == messages;
    });
    await(Future.all(ends));
  }

  private RdmaGrpcServer server() throws Exception {
    RdmaGrpcServer server = server(node(), new RdmaGrpcServerOptions());
    serve(server, "Echo", call -> call.last().onSuccess(message -> call.response().end(message)));
    return server;
  }

  /** Starts a server whose handlers of "Many" are paused. */
  private void listenPaused() throws Exception {
    RdmaGrpcServer server = server();
    serve(server, "Many", call -> {
      paused.add(call.pause().handler(message -> read.incrementAndGet()).endHandler(v -> call.response().end(Buffer.buffer())));
    });
    await(server.listen(NAME));
  }

  private void write(RdmaGrpcClient client, List<Future<Void>> ends) {
    for (int i = 0; i < CALLS; i++) {
      ends.add(call(client, "Many").compose(request -> {
        write(request, EACH);
        return request.response().compose(GrpcClientResponse::end);
      }));
    }
  }

  @Test
  void serverReadsNoMoreThanItsPausedHandlersMayHold() throws Exception {
    listenPaused();
    List<Future<Void>> ends = new ArrayList<>();
    write(client(node(), new RdmaGrpcClientOptions()), ends);
    assertHeldBack(client(node(), new RdmaGrpcClientOptions()));
    untilRead(CALLS * EACH, ends);
  }

  @Test
  void serverReadsNoMoreThanUnfinishedInterceptorsMayHold() throws Exception {
    RdmaGrpcServer server = server();
    Promise<Void> passed = Promise.promise();
    server.addInterceptor(call -> call.fullMethodName().endsWith("Many") ? passed.future() : Future.succeededFuture());
    serve(server, "Many", call -> call.handler(message -> read.incrementAndGet()).endHandler(v -> call.response().end(Buffer.buffer())));
    await(server.listen(NAME));
    List<Future<Void>> ends = new ArrayList<>();
    write(client(node(), new RdmaGrpcClientOptions()), ends);
    assertHeldBack(client(node(), new RdmaGrpcClientOptions()));
    passed.complete();
    await(Future.all(ends));
    assertEquals(CALLS * EACH, read.get());
  }

  @Test
  void clientReadsNoMoreThanItsPausedResponsesMayHold() throws Exception {
    RdmaGrpcServer server = server();
    serve(server, "Many", call -> write(call.response(), EACH));
    await(server.listen(NAME));
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions());
    List<Future<Void>> ends = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      ends.add(call(client, "Many").compose(request -> {
        request.response().onSuccess(response -> paused.add(response.pause().handler(message -> read.incrementAndGet())));
        return request.send(Buffer.buffer()).compose(GrpcClientResponse::end);
      }));
    }
    assertHeldBack(client(node(), new RdmaGrpcClientOptions()));
    untilRead(CALLS * EACH, ends);
  }

  @Test
  void callHoldsItsBytesAndDelaysNoOtherCallOfItsConnection() throws Exception {
    listenPaused();
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions());
    Future<Void> end = call(client, "Many").compose(request -> {
      write(request, 2 * EACH);
      return request.response().compose(GrpcClientResponse::end);
    });
    until("messages wait", () -> written.get() >= 8);
    for (int i = 0; i < 100; i++) {
      assertEquals(MESSAGE, await(unary(client, "Echo", MESSAGE)));
    }
    assertEquals(8, written.get());
    paused.getFirst().fetch(1);
    until("one is read", () -> read.get() == 1);
    assertEquals(MESSAGE, await(unary(client, "Echo", MESSAGE)));
    assertEquals(1, read.get());
    paused.getFirst().resume();
    await(end);
    assertEquals(2 * EACH, read.get());
  }

  @Test
  void waitingBytesOfOnePeerAreLimited() throws Exception {
    listenPaused();
    Node peer = node();
    List<Future<Void>> ends = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      write(client(peer, new RdmaGrpcClientOptions()), ends);
    }
    until("many messages wait", () -> written.get() >= 120);
    RdmaGrpcClient other = client(node(), new RdmaGrpcClientOptions());
    for (int i = 0; i < 100; i++) {
      assertEquals(MESSAGE, await(unary(other, "Echo", MESSAGE)));
    }
    assertTrue(written.get() <= 128 + CONNECTIONS * ON_THE_WAY, written.get() + " MiB were taken");
    untilRead(CONNECTIONS * CALLS * EACH, ends);
  }
}
