package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Closeable;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.CloseFuture;
import io.vertx.core.internal.VertxInternal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class CallTest extends Nodes {

  @Test
  void functionsRunOnTheThreadOfTheirOptions() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    FunctionClient invoker = invoker(node(), new LeaseOptions());
    assertTrue(await(invoker.invoke("thread", Buffer.buffer())).toString().contains("eventloop"));
    assertTrue(await(invoker.invoke("own-thread", Buffer.buffer())).toString().startsWith("vertx-rdma-function"));
  }

  @Test
  void virtualThreadsAreRefusedForFunctions() {
    FunctionOptions options = new FunctionOptions();
    assertEquals(ThreadingModel.WORKER, options.getThreading());
    options.setThreading(ThreadingModel.EVENT_LOOP);
    assertEquals(ThreadingModel.EVENT_LOOP, new FunctionOptions(options.toJson()).getThreading());
    String refusal = assertThrows(IllegalArgumentException.class, () -> options.setThreading(ThreadingModel.VIRTUAL_THREAD)).getMessage();
    assertTrue(refusal.startsWith("cannot set the threading of a function: use WORKER or EVENT_LOOP instead of VIRTUAL_THREAD"), refusal);
  }

  @Test
  void resultsCompleteOnTheCallersContext() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    Node client = node();
    FunctionClient invoker = invoker(client, new LeaseOptions());
    Promise<Context> completed = Promise.promise();
    Context context = client.vertx.getOrCreateContext();
    context.runOnContext(v -> invoker.invoke("echo", Buffer.buffer()).onComplete(done -> completed.complete(Vertx.currentContext())));
    assertSame(context, await(completed.future()));
  }

  @Test
  void aCallTimesOutAndItsSlotComesBack() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    FunctionClient invoker = invoker(node(), new LeaseOptions().setSlots(1));
    Future<Buffer> slow = invoker.invoke("never", Buffer.buffer("slow"), CallOptions.DEFAULT.withTimeout(Duration.ofMillis(50)));
    assertFails(Reason.TIMEOUT, "timed out", slow);
    assertEquals("next", await(invoker.invoke("echo", Buffer.buffer("next"))).toString());
    // The time of a waiting call counts too.
    invoker.invoke("never", Buffer.buffer("blocks"), CallOptions.DEFAULT.withTimeout(Duration.ZERO));
    assertFails(Reason.TIMEOUT, "while it waited for a free worker",
      invoker.invoke("echo", Buffer.buffer(), CallOptions.DEFAULT.withTimeout(Duration.ofMillis(50))));
  }

  @Test
  void aCallIsCancelled() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    FunctionClient invoker = invoker(node(), new LeaseOptions().setSlots(1));
    Call running = invoker.call("never", Buffer.buffer("cancelled"), CallOptions.DEFAULT);
    Call waiting = invoker.call("echo", Buffer.buffer(), CallOptions.DEFAULT);
    until("it runs", () -> begun.containsKey("cancelled"));
    assertFalse(begun.get("cancelled").isCancelled());
    Promise<Void> heard = Promise.promise();
    begun.get("cancelled").cancelHandler(v -> heard.complete());
    waiting.cancel();
    assertFails(Reason.CANCELLED, "while it waited", waiting.result());
    running.cancel();
    running.cancel();
    assertFails(Reason.CANCELLED, "may have run", running.result());
    await(heard.future());
    Call after = invoker.call("echo", Buffer.buffer("after"), CallOptions.DEFAULT);
    assertEquals("after", await(after.result()).toString());
    after.cancel();
    assertEquals("after", after.result().result().toString());
  }

  @Test
  void manyAreInFlightOnOneWorker() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    FunctionClient invoker = invoker(node(), new LeaseOptions().setSlots(8));
    List<Future<Buffer>> calls = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      calls.add(invoker.invoke("never", Buffer.buffer("many" + i)));
    }
    until("all run", () -> begun.keySet().stream().filter(name -> name.startsWith("many")).count() == 8);
    assertEquals(8, invoker.leases().getFirst().workers().getFirst().inFlight());
    await(invoker.close());
    for (Future<Buffer> call : calls) {
      assertFails(Reason.CLOSED, "the client was closed", call);
    }
    assertFails(Reason.CLOSED, "is closed", invoker.invoke("echo", Buffer.buffer()));
  }

  private static FunctionClient invokerOn(Context context, Node node, LeaseOptions lease) throws Exception {
    Promise<FunctionClient> made = Promise.promise();
    context.runOnContext(v -> {
      FunctionClient invoker = FunctionClient.create(node.rdma);
      invoker.lease(lease).map(invoker).onComplete(made);
    });
    return await(made.future());
  }

  @Test
  void callsUnderWayTimeOutBesideOthersThatAreMadeAgain() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    Node client = node();
    Context context = client.vertx.getOrCreateContext();
    FunctionClient invoker = invokerOn(context, client, new LeaseOptions().setSlots(1));
    Promise<Future<Buffer>> made = Promise.promise();
    AtomicInteger tries = new AtomicInteger();
    Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    context.exceptionHandler(thrown::add);
    context.runOnContext(v -> {
      made.complete(invoker.invoke("never", Buffer.buffer("stuck"), CallOptions.DEFAULT.withTimeout(Duration.ofMillis(400))));
      for (int i = 0; i < 3; i++) {
        again(invoker, tries);
      }
    });
    assertFails(Reason.TIMEOUT, "timed out; invocation", await(made.future()));
    until("they are made again", () -> tries.get() > 6);
    tries.set(Integer.MIN_VALUE);
    assertEquals(List.of(), List.copyOf(thrown));
  }

  private static void again(FunctionClient invoker, AtomicInteger tries) {
    if (tries.incrementAndGet() > 0) {
      invoker.invoke("never", Buffer.buffer("waits"), CallOptions.DEFAULT.withTimeout(Duration.ofMillis(1)))
        .onFailure(e -> again(invoker, tries));
    }
  }

  @Test
  void cancelledCallsDoNotCountAsWaiting() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    Node client = node();
    FunctionClient invoker = FunctionClient.create(client.rdma, new FunctionClientOptions().setMaxWaiting(2));
    await(invoker.lease(new LeaseOptions().setSlots(1)));
    invoker.invoke("hold", Buffer.buffer("busy"));
    until("it runs", () -> begun.containsKey("busy"));
    Future<Buffer> first = invoker.invoke("echo", Buffer.buffer("first"));
    for (int i = 0; i < 100; i++) {
      invoker.call("echo", Buffer.buffer(), CallOptions.DEFAULT).cancel();
    }
    until("one waits", () -> invoker.waiting() == 1);
    Future<Buffer> second = invoker.invoke("echo", Buffer.buffer("second"));
    assertFails(Reason.TOO_MANY_CALLS, "2 calls wait", invoker.invoke("echo", Buffer.buffer("one too many")));
    letGo("busy");
    assertEquals("first", await(first).toString());
    assertEquals("second", await(second).toString());
  }

  @Test
  void aCallThatNeedNotWaitIsTaken() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    Node client = node();
    FunctionClient invoker = FunctionClient.create(client.rdma, new FunctionClientOptions().setMaxWaiting(0));
    await(invoker.lease(new LeaseOptions().setSlots(2)));
    List<Call> calls = invoker.callAll("hold", List.of(Buffer.buffer("a"), Buffer.buffer("b"), Buffer.buffer("c")), CallOptions.DEFAULT);
    assertFails(Reason.TOO_MANY_CALLS, "0 calls wait for a free worker; lease more workers, or raise maxWaiting", calls.getLast().result());
    letGo("a");
    letGo("b");
    await(calls.get(0).result());
    await(calls.get(1).result());
  }

  /** Failure handlers run inside the dispatch that fails all waiting calls. */
  @Test
  void callsFromFailureHandlerAreNotRefusedWhileWaitingCallsFail() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    Node client = node();
    Promise<Void> later = Promise.promise();
    client.vertx.getOrCreateContext().runOnContext(v -> {
      FunctionClient invoker = FunctionClient.create(client.rdma, new FunctionClientOptions().setMaxWaiting(2));
      invoker.lease(new LeaseOptions().setSlots(1)).onSuccess(leases -> {
        invoker.invoke("never", Buffer.buffer("busy"));
        invoker.invoke("echo", Buffer.buffer()).recover(cause -> {
          invoker.invoke("echo", Buffer.buffer());
          return invoker.invoke("echo", Buffer.buffer());
        }).<Void>mapEmpty().onComplete(later);
        invoker.invoke("reverse", Buffer.buffer());
        leases.getFirst().end();
      });
    });
    assertFails(Reason.LEASE_ENDED, "this client has no lease", later.future());
  }

  @Test
  void waitingCallsFailInTheirOrderWhenTheClientCloses() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    Node client = node();
    Context context = client.vertx.getOrCreateContext();
    FunctionClient invoker = invokerOn(context, client, new LeaseOptions().setSlots(1));
    List<Integer> failed = new CopyOnWriteArrayList<>();
    Promise<Void> closed = Promise.promise();
    context.runOnContext(v -> {
      invoker.invoke("never", Buffer.buffer("busy"));
      for (int i = 0; i < 6; i++) {
        int number = i;
        invoker.invoke(i % 2 == 0 ? "echo" : "reverse", Buffer.buffer()).onFailure(cause -> failed.add(number));
      }
      invoker.close().onComplete(closed);
    });
    await(closed.future());
    assertEquals(List.of(0, 1, 2, 3, 4, 5), failed);
  }

  @Test
  void roomForAResultThatNoLeaseHasIsRefused() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    FunctionClient invoker = invoker(node(), new LeaseOptions());
    assertFails(Reason.RESULT_TOO_LARGE, "the largest lease has room for",
      invoker.invoke("echo", Buffer.buffer(), CallOptions.DEFAULT.withMaxResult(Integer.MAX_VALUE)));
  }

  @Test
  void aClientThatWasClosedIsForgottenByItsContext() throws Exception {
    Node node = node();
    Set<Closeable> hooks = ConcurrentHashMap.newKeySet();
    CloseFuture verticle = new CloseFuture() {
      @Override
      public synchronized boolean add(Closeable hook) {
        return hooks.add(hook) && super.add(hook);
      }

      @Override
      public boolean remove(Closeable hook) {
        return hooks.remove(hook) && super.remove(hook);
      }
    };
    Promise<FunctionClient> made = Promise.promise();
    ((VertxInternal) node.vertx).contextBuilder().withCloseFuture(verticle).build()
      .runOnContext(v -> made.complete(FunctionClient.create(node.rdma)));
    FunctionClient client = await(made.future());
    assertEquals(1, hooks.size());
    await(client.close());
    assertEquals(Set.of(), hooks);
  }

  @Test
  void aCallWaitsForWorkersOfItsFunctionOnly() throws Exception {
    for (String service : List.of("f", "g")) {
      Node server = node();
      server.manager = FunctionServer.create(server.rdma, new FunctionServerOptions().setCores(1).setLoadProviders(false));
      server.manager.register(service, ON_LOOP, invocation -> {
        begun.put(invocation.arguments().toString(), invocation);
        return service.equals("f") ? Future.succeededFuture(Buffer.buffer("at once")) : Promise.<Buffer>promise().future();
      });
      await(server.manager.listen(service));
    }
    Node client = node();
    FunctionClient invoker = FunctionClient.create(client.rdma, new FunctionClientOptions().setMaxWaiting(1));
    for (String service : List.of("f", "g")) {
      await(invoker.lease(new LeaseOptions().setService(service).setSlots(1).setWaitTimeout(Duration.ofSeconds(20))));
    }
    invoker.invoke("g", Buffer.buffer("first"));
    until("it runs", () -> begun.containsKey("first"));
    Future<Buffer> second = invoker.invoke("g", Buffer.buffer("second"));
    assertEquals("at once", await(invoker.invoke("f", Buffer.buffer())).toString());
    assertFalse(second.isComplete());
    assertEquals(1, invoker.waiting());
  }

  @Test
  void aLargeCallIsNotOvertakenByOthersOfItsWorker() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    FunctionClient invoker = invoker(node(), new LeaseOptions().setMemory(65_536).setSlots(4));
    Future<Buffer> held = invoker.invoke("hold", Buffer.buffer("slot"));
    until("it runs", () -> begun.containsKey("slot"));
    Future<Buffer> large = invoker.invoke("zeros", Buffer.buffer().appendInt(60_000), CallOptions.DEFAULT.withMaxResult(60_000));
    Future<Buffer> small = invoker.invoke("echo", Buffer.buffer("small"));
    until("both wait", () -> invoker.waiting() == 2);
    letGo("slot");
    await(held);
    assertEquals(60_000, await(large).length());
    assertEquals("small", await(small).toString());
  }

  @Test
  void aBatchOvertakesNoCallOfAnotherFunction() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    FunctionClient invoker = invoker(node(), new LeaseOptions().setMemory(65_536).setSlots(4));
    CallOptions allSlots = CallOptions.DEFAULT.withMaxResult(60_000);
    Future<Buffer> held = invoker.invoke("hold", Buffer.buffer("slot"), allSlots);
    until("it runs", () -> begun.containsKey("slot"));
    List<String> answered = new CopyOnWriteArrayList<>();
    List<Future<?>> all = new ArrayList<>();
    all.add(invoker.invoke("echo", Buffer.buffer("first")).onSuccess(v -> answered.add("first")));
    all.add(invoker.invoke("zeros", Buffer.buffer().appendInt(60_000), allSlots).onSuccess(v -> answered.add("large")));
    all.add(invoker.invoke("echo", Buffer.buffer("last")).onSuccess(v -> answered.add("last")));
    until("all wait", () -> invoker.waiting() == 3);
    letGo("slot");
    await(held);
    await(Future.all(all));
    assertEquals(List.of("first", "large", "last"), answered);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void cancelledWaitingCallDelaysNoOther(boolean isLate) throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    FunctionClient invoker = invoker(node(), new LeaseOptions().setMemory(65_536).setSlots(4));
    CallOptions forever = CallOptions.DEFAULT.withTimeout(Duration.ZERO);
    Future<Buffer> held = invoker.invoke("never", Buffer.buffer("slot"), forever);
    until("it runs", () -> begun.containsKey("slot"));
    Call large = invoker.call("echo", Buffer.buffer(), forever.withMaxResult(60_000)
      .withTimeout(isLate ? Duration.ofMillis(300) : Duration.ZERO));
    Future<Buffer> small = invoker.invoke("echo", Buffer.buffer("small"), forever);
    if (!isLate) {
      large.cancel();
    }
    assertFails(isLate ? Reason.TIMEOUT : Reason.CANCELLED, "while it waited for a free worker", large.result());
    assertEquals("small", await(small, 20).toString());
    assertFalse(held.isComplete());
  }
}
