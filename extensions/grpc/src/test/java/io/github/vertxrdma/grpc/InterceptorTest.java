package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import example.greeter.GreeterGrpcClient;
import example.greeter.GreeterGrpcService;
import example.greeter.Greeting;
import example.greeter.Name;
import io.github.vertxrdma.grpc.examples.ContractsExample;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.client.InvalidStatusException;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.StatusException;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class InterceptorTest extends Nodes {
  private static final Buffer HELLO = Buffer.buffer("hello");

  private static String nodeId(Node node) throws Exception {
    return await(node.rdma().directory()).nodeId();
  }

  private static GreeterGrpcService greeter() {
    return new GreeterGrpcService() {
      @Override
      public Future<Greeting> greet(Name name) {
        RdmaGrpcCall call = RdmaGrpcCall.current();
        return Future.succeededFuture(Greeting.newBuilder()
          .setWords(call.fullMethodName() + " of " + call.remoteNodeId() + ", " + call.headers().get("key")).build());
      }
    };
  }

  private static String greeting(GrpcClient client, SocketAddress address) throws Exception {
    return await(GreeterGrpcClient.create(client, address).greet(Name.getDefaultInstance())).getWords();
  }

  @Test
  void aServiceKnowsTheNodeThatCallsIt() throws Exception {
    Node serving = node();
    RdmaGrpcServer server = await(RdmaGrpcServer.create(serving.rdma()).addService(greeter()).listen(NAME));
    Node calling = node();
    RdmaGrpcClient client = client(calling, new RdmaGrpcClientOptions()).addInterceptor(call -> {
      call.headers().set("key", call.remoteNodeId());
      return Future.succeededFuture();
    });
    assertEquals("example.Greeter/Greet of " + nodeId(calling) + ", " + nodeId(serving), greeting(client, RdmaGrpcClient.address(NAME)));
    assertNull(RdmaGrpcCall.current());

    int port = await(serving.vertx().createHttpServer().requestHandler(server).listen(0, "127.0.0.1")).actualPort();
    assertEquals("example.Greeter/Greet of null, null",
      greeting(GrpcClient.client(calling.vertx()), SocketAddress.inetSocketAddress(port, "127.0.0.1")));
  }

  @Test
  void refusedCallReachesNoHandler() throws Exception {
    Node serving = node();
    Node trusted = node();
    RdmaGrpcServer server = server(serving, new RdmaGrpcServerOptions());
    AtomicInteger handled = new AtomicInteger();
    serve(server, "Echo", call -> {
      handled.incrementAndGet();
      call.handler(call.response()::end);
    });
    ContractsExample.guard(server, Set.of(nodeId(trusted)));
    await(server.listen(NAME));
    assertEquals(HELLO, await(unary(client(trusted, new RdmaGrpcClientOptions()), "Echo", HELLO)));
    RdmaGrpcClient stranger = client(node(), new RdmaGrpcClientOptions());
    assertStatus(GrpcStatus.PERMISSION_DENIED, unary(stranger, "Echo", HELLO));

    int port = await(serving.vertx().createHttpServer().requestHandler(server).listen(0, "127.0.0.1")).actualPort();
    GrpcClient caller = GrpcClient.client(trusted.vertx());
    Future<Buffer> http = caller
      .request(SocketAddress.inetSocketAddress(port, "127.0.0.1"), clientMethod("Echo"))
      .compose(request -> request.send(HELLO)).compose(response -> response.last());
    assertEquals(GrpcStatus.PERMISSION_DENIED, ((InvalidStatusException) failure(http)).actualStatus());
    assertEquals(1, handled.get());
  }

  @Test
  void interceptorsRunInTurnUntilOneThrows() throws Exception {
    RdmaGrpcServer server = server(node(), new RdmaGrpcServerOptions())
      .addInterceptor(call -> {
        call.headers().set("turns", "1");
        return Future.succeededFuture();
      })
      .addInterceptor(call -> {
        call.headers().set("turns", call.headers().get("turns") + "2");
        return Future.succeededFuture();
      })
      .addInterceptor(call -> {
        if (call.headers().contains("odd")) {
          throw new IllegalStateException("odd");
        }
        return call.headers().contains("null") ? null : Future.succeededFuture();
      });
    serve(server, "Turns", call -> call.last().onSuccess(m -> call.response().end(Buffer.buffer(call.headers().get("turns")))));
    await(server.listen(NAME));
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions());
    assertEquals("12", await(unary(client, "Turns", HELLO)).toString());
    for (String key : List.of("odd", "null")) {
      GrpcClientRequest<Buffer, Buffer> stopped = await(call(client, "Turns"));
      stopped.headers().set(key, "yes");
      assertStatus(GrpcStatus.UNKNOWN, stopped.send(HELLO).compose(response -> response.last()));
    }

    client.addInterceptor(call -> {
      throw new StatusException(GrpcStatus.UNAUTHENTICATED, "no token");
    });
    GrpcClientRequest<Buffer, Buffer> refused = await(call(client, "Turns"));
    assertInstanceOf(StatusException.class, failure(refused.write(HELLO)));
    assertInstanceOf(StatusException.class, failure(refused.response()));
  }

  @Test
  void callEndsWhenTheContextOfItsInterceptorsAnswerIsBlocked() throws Exception {
    Vertx elsewhere = Vertx.vertx();
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    try {
      ContextInternal other = ((VertxInternal) elsewhere).createEventLoopContext();
      Promise<Void> permitted = other.promise();
      permitted.complete();
      other.runOnContext(v -> {
        blocked.countDown();
        uninterrupted(end);
      });
      blocked.await();
      RdmaGrpcServer server = server(node(), new RdmaGrpcServerOptions()).addInterceptor(call -> permitted.future());
      serve(server, "Echo", call -> call.handler(call.response()::end));
      await(server.listen(NAME));
      RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions()).addInterceptor(call -> permitted.future());
      assertEquals(HELLO, await(unary(client, "Echo", HELLO)));
    } finally {
      end.countDown();
      await(elsewhere.close());
    }
  }

  private static void uninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Permits a call later, from another thread. */
  private static final class Gate implements RdmaGrpcInterceptor {
    final Queue<Promise<Void>> calls = new ConcurrentLinkedQueue<>();

    @Override
    public Future<Void> intercept(RdmaGrpcCall call) {
      Promise<Void> answer = Promise.promise();
      calls.add(answer);
      return answer.future();
    }

    Promise<Void> next() {
      until("a call waits", () -> !calls.isEmpty());
      return calls.remove();
    }
  }

  @Test
  void callsWaitForAnInterceptorThatTakesItsTime() throws Exception {
    Node serving = node();
    Gate gate = new Gate();
    List<Context> contexts = new CopyOnWriteArrayList<>();
    AtomicInteger handled = new AtomicInteger();
    RdmaGrpcServer server = server(serving, new RdmaGrpcServerOptions()).addInterceptor(gate).addInterceptor(call -> {
      contexts.add(Vertx.currentContext());
      return Future.succeededFuture();
    });
    serve(server, "Slowly", call -> {
      handled.incrementAndGet();
      contexts.add(Vertx.currentContext());
      // The paused call delivers no message before its handler is set.
      call.pause();
      serving.vertx().setTimer(1, id -> {
        Buffer all = Buffer.buffer();
        call.handler(all::appendBuffer).endHandler(v -> call.response().end(all)).resume();
      });
    });
    await(server.listen(NAME));
    int port = await(serving.vertx().createHttpServer().requestHandler(server).listen(0, "127.0.0.1")).actualPort();
    Node calling = node();
    RdmaGrpcClient client = client(calling, new RdmaGrpcClientOptions());
    SocketAddress http = SocketAddress.inetSocketAddress(port, "127.0.0.1");
    for (GrpcClient each : List.of(client, GrpcClient.client(calling.vertx()))) {
      SocketAddress address = each == client ? RdmaGrpcClient.address(NAME) : http;
      GrpcClientRequest<Buffer, Buffer> request = await(each.request(address, clientMethod("Slowly")));
      request.write(HELLO);
      Promise<Void> answer = gate.next();
      request.end(HELLO);
      assertEquals(0, handled.get());
      answer.complete();
      assertEquals("hellohello", await(request.response().compose(response -> response.last())).toString());
      assertEquals(2, contexts.size());
      assertSame(contexts.get(0), contexts.get(1));
      contexts.clear();
      handled.set(0);

      GrpcClientRequest<Buffer, Buffer> refused = await(each.request(address, clientMethod("Slowly")));
      Future<Buffer> refusal = refused.send(HELLO).compose(response -> response.last());
      gate.next().fail(new StatusException(GrpcStatus.PERMISSION_DENIED, "no"));
      assertStatus(GrpcStatus.PERMISSION_DENIED, refusal);
      assertEquals(0, handled.get());
    }

    GrpcClientRequest<Buffer, Buffer> cancelled = await(call(client, "Slowly"));
    cancelled.write(HELLO);
    Promise<Void> late = gate.next();
    cancelled.cancel();
    assertFails(GrpcStatus.CANCELLED, cancelled.response());
    Future<Buffer> after = unary(client, "Slowly", HELLO);
    Promise<Void> next = gate.next();
    late.complete();
    next.complete();
    assertEquals(HELLO, await(after));
    assertEquals(1, handled.get(), "a call that was cancelled meanwhile reaches no handler");
  }

  @Test
  void aCallIsNotSentBeforeItsClientsInterceptorAnswers() throws Exception {
    RdmaGrpcServer server = server(node(), new RdmaGrpcServerOptions());
    AtomicInteger handled = new AtomicInteger();
    serve(server, "Key", call -> {
      handled.incrementAndGet();
      call.last().onSuccess(message -> call.response().end(Buffer.buffer(call.headers().get("key"))));
    });
    await(server.listen(NAME));
    Gate gate = new Gate();
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions()).addInterceptor(gate).addInterceptor(call -> {
      call.headers().set("key", "a token that came late");
      return Future.succeededFuture();
    });
    Future<Buffer> answer = unary(client, "Key", HELLO);
    gate.next().complete();
    assertEquals("a token that came late", await(answer).toString());
    assertEquals(1, handled.get());

    GrpcClientRequest<Buffer, Buffer> late = await(call(client, "Key"));
    Future<GrpcClientResponse<Buffer, Buffer>> response = late.timeout(20, TimeUnit.MILLISECONDS).send(HELLO);
    Promise<Void> tooLate = gate.next();
    assertFails(GrpcStatus.DEADLINE_EXCEEDED, response);
    tooLate.complete();
    Future<Buffer> after = unary(client, "Key", HELLO);
    gate.next().complete();
    await(after);
    assertEquals(2, handled.get(), "a call that was over meanwhile is not sent");
  }

  @Test
  void interceptorsWrapCalls() throws Exception {
    Node serving = node();
    Queue<String> ends = new ConcurrentLinkedQueue<>();
    RdmaGrpcServer server = server(serving, new RdmaGrpcServerOptions()).addInterceptor(call -> {
      call.responseHeaders().set("before", "yes");
      call.responseTrailers().set("last", "yes");
      call.status().onSuccess(status -> ends.add("served with " + status.name() + ", " + call.responseHeaders().get("before")));
      return Future.succeededFuture();
    }).addService(new GreeterGrpcService() {
      @Override
      public Future<Greeting> greet(Name name) {
        RdmaGrpcCall.current().responseHeaders().set("service", name.getValue());
        return name.getValue().isEmpty() ? Future.failedFuture(new StatusException(GrpcStatus.NOT_FOUND, "the name is missing"))
          : Future.succeededFuture(Greeting.newBuilder().setWords("hello " + name.getValue()).build());
      }
    });
    await(server.listen(NAME));
    int port = await(serving.vertx().createHttpServer().requestHandler(server).listen(0, "127.0.0.1")).actualPort();
    Node calling = node();
    RdmaGrpcClient client = client(calling, new RdmaGrpcClientOptions()).addInterceptor(call -> {
      assertNull(call.responseHeaders());
      call.status().onSuccess(status -> ends
        .add("called with " + status.name() + ", " + call.responseHeaders().get("service") + ", " + call.responseTrailers().get("last")));
      return Future.succeededFuture();
    });
    GreeterGrpcClient stub = GreeterGrpcClient.create(client, RdmaGrpcClient.address(NAME));
    assertEquals("hello you", await(stub.greet(Name.newBuilder().setValue("you").build())).getWords());
    until("both interceptors were called at the end", () -> ends.size() == 2);
    assertEquals(Set.of("served with OK, yes", "called with OK, you, yes"), Set.copyOf(ends));
    ends.clear();
    Throwable missing = failure(stub.greet(Name.getDefaultInstance()));
    assertEquals(GrpcStatus.NOT_FOUND, assertInstanceOf(InvalidStatusException.class, missing).actualStatus());
    assertEquals("the name is missing", missing.getCause().getMessage());
    until("both interceptors were called after the refusal", () -> ends.size() == 2);
    assertEquals(2, ends.stream().filter(end -> end.contains("NOT_FOUND")).count(), ends.toString());
    ends.clear();

    GrpcClient caller = GrpcClient.client(calling.vertx());
    GrpcClientRequest<Name, Greeting> http = await(caller
      .request(SocketAddress.inetSocketAddress(port, "127.0.0.1"), GreeterGrpcClient.Greet));
    GrpcClientResponse<Name, Greeting> response = await(http.send(Name.newBuilder().setValue("you").build()));
    await(response.last());
    assertEquals("you yes yes",
      response.headers().get("service") + ' ' + response.headers().get("before") + ' ' + response.trailers().get("last"));
    until("the interceptor was called at the end", () -> !ends.isEmpty());
    assertEquals("served with OK, yes", ends.remove());
  }

  /** A generated service answers a call that its client has cancelled. */
  @Test
  void aLateAnswerIsNotAnUnhandledException() throws Exception {
    Node serving = node();
    Promise<Promise<Greeting>> asked = Promise.promise();
    Queue<Throwable> unhandled = new ConcurrentLinkedQueue<>();
    serving.vertx().exceptionHandler(unhandled::add);
    Queue<GrpcStatus> ends = new ConcurrentLinkedQueue<>();
    await(RdmaGrpcServer.create(serving.rdma()).addInterceptor(call -> {
      call.status().onSuccess(ends::add);
      return Future.succeededFuture();
    }).addService(new GreeterGrpcService() {
      @Override
      public Future<Greeting> greet(Name name) {
        Promise<Greeting> answer = Promise.promise();
        return asked.tryComplete(answer) ? answer.future() : Future.succeededFuture(Greeting.getDefaultInstance());
      }
    }).listen(NAME));
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions());
    GrpcClientRequest<Name, Greeting> request = await(client.request(GreeterGrpcClient.Greet));
    request.send(Name.getDefaultInstance());
    Promise<Greeting> answer = await(asked.future());
    request.cancel();
    until("the call has ended at the server", () -> !ends.isEmpty());
    assertEquals(GrpcStatus.CANCELLED, ends.remove());
    answer.complete(Greeting.getDefaultInstance());
    // This call is served after the late answer.
    await(GreeterGrpcClient.create(client, RdmaGrpcClient.address(NAME)).greet(Name.getDefaultInstance()));
    assertEquals(List.of(), List.copyOf(unhandled));
  }
}
