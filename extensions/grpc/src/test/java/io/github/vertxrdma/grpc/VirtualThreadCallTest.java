package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.server.GrpcServerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handlers and callers on virtual threads, which may wait for later messages of the same connection. */
@Timeout(120)
class VirtualThreadCallTest extends Nodes {
  private static final Buffer HELLO = Buffer.buffer("hello");

  private static void onVirtualThread(Node node, Supplier<Future<?>> begin) throws Exception {
    await(node.vertx().deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        return begin.get();
      }
    }, new DeploymentOptions().setThreadingModel(ThreadingModel.VIRTUAL_THREAD)));
  }

  @Test
  void handlersAwait() throws Exception {
    int messages = 3 * RdmaGrpcServerOptions.DEFAULT_CALL_WINDOW;
    Node serving = node();
    onVirtualThread(serving, () -> {
      RdmaGrpcServer server = server(serving, new RdmaGrpcServerOptions());
      serve(server, "Echo", call -> call.response().end(call.last().await()));
      serve(server, "Many", call -> {
        for (int i = 0; i < messages; i++) {
          call.response().write(Buffer.buffer("message " + i)).await();
        }
        call.response().end();
      });
      return server.listen(NAME);
    });
    Node calling = node();
    Promise<List<String>> all = Promise.promise();
    Promise<Buffer> second = Promise.promise();
    Promise<Buffer> last = Promise.promise();
    onVirtualThread(calling, () -> {
      RdmaGrpcClient client = client(calling, new RdmaGrpcClientOptions());
      List<String> heard = new ArrayList<>();
      call(client, "Many").compose(request -> request.send(HELLO)).onSuccess(response -> response
        .handler(message -> heard.add(unary(client, "Echo", message).await().toString())).endHandler(v -> all.complete(heard)));
      call(client, "Echo").compose(request -> request.send(HELLO))
        .onSuccess(response -> second.complete(unary(client, "Echo", HELLO).await()));
      call(client, "Echo").compose(request -> request.send(HELLO)).onSuccess(response -> last.complete(response.last().await()));
      return Future.succeededFuture();
    });
    assertEquals(HELLO, await(second.future()));
    assertEquals(HELLO, await(last.future()));
    assertEquals(IntStream.range(0, messages).mapToObj(i -> "message " + i).toList(), await(all.future()));
  }

  @Test
  void virtualThreadAwaitsQueuedCall() throws Exception {
    RdmaGrpcServer server = server(node(), new RdmaGrpcServerOptions().setMaxCalls(1).setMaxMessageSize(1_000));
    serve(server, "Echo", call -> call.last().onSuccess(call.response()::end));
    serve(server, "Chat", call -> call.pipeTo(call.response()));
    await(server.listen(NAME));
    Node calling = node();
    Promise<Buffer> answer = Promise.promise();
    onVirtualThread(calling, () -> {
      RdmaGrpcClient client = client(calling, new RdmaGrpcClientOptions());
      GrpcClientRequest<Buffer, Buffer> first = call(client, "Chat").await();
      first.write(HELLO).await();
      Future<GrpcClientResponse<Buffer, Buffer>> refused = call(client, "Echo").await().send(Buffer.buffer(new byte[1_001]));
      Future<Buffer> behind = unary(client, "Echo", HELLO);
      refused.onComplete(done -> answer.complete(behind.await()));
      return first.end();
    });
    assertEquals(HELLO, await(answer.future()));
  }

  @Test
  void callsOfALostConnectionAreAwaitedByOneAnother() throws Exception {
    Node serving = node();
    List<Promise<Void>> served = List.of(Promise.promise(), Promise.promise());
    List<Promise<Void>> heard = List.of(Promise.promise(), Promise.promise());
    List<Promise<Void>> awaited = List.of(Promise.promise(), Promise.promise());
    Promise<RdmaGrpcServer> listening = Promise.promise();
    onVirtualThread(serving, () -> {
      RdmaGrpcServer server = server(serving, new RdmaGrpcServerOptions());
      serve(server, "Hold", call -> {
        int at = served.getFirst().tryComplete() ? 0 : 1;
        served.get(at).tryComplete();
        call.errorHandler(error -> {
          heard.get(at).complete();
          awaited.get(at).complete(heard.get(1 - at).future().await());
        });
      });
      return server.listen(NAME).onComplete(listening);
    });
    Node calling = node();
    List<Promise<Buffer>> answers = List.of(Promise.promise(), Promise.promise());
    onVirtualThread(calling, () -> {
      RdmaGrpcClient client = client(calling, new RdmaGrpcClientOptions());
      List<Future<Buffer>> calls = List.of(unary(client, "Hold", HELLO), unary(client, "Hold", HELLO));
      for (int i = 0; i < 2; i++) {
        Promise<Buffer> answer = answers.get(i);
        Future<Buffer> other = calls.get(1 - i);
        calls.get(i).onComplete(done -> answer.complete(other.otherwise(HELLO).await()));
      }
      return Future.succeededFuture();
    });
    await(served.getLast().future());
    listening.future().result().close();
    for (int i = 0; i < 2; i++) {
      assertEquals(HELLO, await(answers.get(i).future()));
      await(awaited.get(i).future());
    }
  }

  @Test
  void anExceptionHandlerAwaitsTheAnswerOfItsCall() throws Exception {
    RdmaGrpcServer server = server(node(), new RdmaGrpcServerOptions());
    serve(server, "Cancels", call -> call.response().cancel());
    await(server.listen(NAME));
    Node calling = node();
    Promise<Throwable> awaited = Promise.promise();
    onVirtualThread(calling, () -> {
      GrpcClientRequest<Buffer, Buffer> request = call(client(calling, new RdmaGrpcClientOptions()), "Cancels").await();
      request.exceptionHandler(cause -> awaited.complete(request.response().map(cause).otherwise(cause).await()));
      return request.write(HELLO);
    });
    await(awaited.future());
  }

  @Test
  void answerBeforeTheEndOfItsConnectionIsReceived() throws Exception {
    RdmaGrpcServer server = server(node(), new RdmaGrpcServerOptions());
    Promise<GrpcServerRequest<Buffer, Buffer>> served = Promise.promise();
    serve(server, "Hold", served::complete);
    await(server.listen(NAME));
    Node calling = node();
    Promise<Context> context = Promise.promise();
    Promise<Buffer> answer = Promise.promise();
    onVirtualThread(calling, () -> {
      context.complete(calling.vertx().getOrCreateContext());
      unary(client(calling, new RdmaGrpcClientOptions()), "Hold", HELLO).onComplete(answer);
      return Future.succeededFuture();
    });
    GrpcServerRequest<Buffer, Buffer> call = await(served.future());
    CountDownLatch over = new CountDownLatch(1);
    await(context.future()).runOnContext(v -> {
      try {
        over.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    });
    call.response().end(HELLO);
    await(server.close());
    until("the connection is over", () -> {
      try {
        return await(calling.rdma().statistics()).devices().stream().allMatch(device -> device.connections().isEmpty());
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    });
    over.countDown();
    assertEquals(HELLO, await(answer.future()));
  }
}
