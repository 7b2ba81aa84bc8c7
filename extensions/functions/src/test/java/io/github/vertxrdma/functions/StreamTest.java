package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StreamTest extends Nodes {
  private static final int PART = 20_000;

  private final AtomicInteger sent = new AtomicInteger();
  private final AtomicReference<Throwable> stopped = new AtomicReference<>();

  @Override
  RdmaOptions options() {
    return super.options().setMaxMessageSize(1 << 20);
  }

  @Override
  void register(FunctionRegistry registry) {
    super.register(registry);
    registry.register("parts", ON_LOOP, invocation -> parts(invocation, invocation.arguments().getInt(0)));
    registry.register("part-of-a-size", ON_LOOP, invocation -> invocation.write(Buffer.buffer(new byte[invocation.arguments().getInt(0)]))
      .map(Buffer.buffer("over")));
    registry.register("hasty", ON_LOOP, invocation -> {
      for (int i = invocation.arguments().getInt(0); i > 0; i--) {
        invocation.write(part(i));
      }
      return Future.succeededFuture(Buffer.buffer("over"));
    });
    registry.register("parts-then-failure", ON_LOOP, invocation -> {
      for (int i = invocation.arguments().getInt(0); i > 0; i--) {
        invocation.write(part(i));
      }
      return Future.failedFuture("it failed after its parts");
    });
    registry.register("parts-of-a-thread", invocation -> {
      for (int i = invocation.arguments().getInt(0); i > 0; i--) {
        invocation.write(part(i)).toCompletionStage().toCompletableFuture().get();
        sent.incrementAndGet();
      }
      return Future.succeededFuture(Buffer.buffer("over"));
    });
  }

  private static Buffer part(int number) {
    return Buffer.buffer(new byte[PART]).setInt(0, number);
  }

  private Future<Buffer> parts(Invocation invocation, int left) {
    if (left == 0) {
      return Future.succeededFuture(Buffer.buffer("over"));
    }
    return invocation.write(part(left)).onFailure(stopped::set).compose(v -> {
      sent.incrementAndGet();
      return parts(invocation, left - 1);
    });
  }

  private static Buffer count(int parts) {
    return Buffer.buffer().appendInt(parts);
  }

  @Test
  void partsComeInOrderAndASlowReaderHoldsTheFunctionBack() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    Node client = node();
    FunctionClient invoker = invoker(client, new LeaseOptions());
    for (String function : new String[] {"parts", "parts-of-a-thread"}) {
      sent.set(0);
      ResultStream stream = invoker.stream(function, count(200), CallOptions.DEFAULT);
      AtomicInteger next = new AtomicInteger(200);
      Promise<Void> ended = Promise.promise();
      stream.pause();
      stream.exceptionHandler(ended::tryFail);
      stream.endHandler(v -> ended.tryComplete());
      stream.handler(part -> {
        if (part.length() != PART || part.getInt(0) != next.getAndDecrement()) {
          ended.tryFail(new AssertionError("part " + part.getInt(0) + " came out of order"));
        }
      });
      until("the window is full", () -> sent.get() >= 13);
      assertTrue(sent.get() <= 14, sent + " parts were sent to a reader that reads nothing");
      stream.fetch(10);
      until("ten were read", () -> next.get() == 190);
      if (function.equals("parts")) {
        assertEquals("meanwhile", await(invoker.invoke("echo", Buffer.buffer("meanwhile"))).toString());
      }
      stream.resume();
      await(ended.future());
      assertEquals(0, next.get());
      assertEquals("over", await(stream.result()).toString());
    }
  }

  @Test
  void aStreamIsCancelledAndASingleCallGetsNone() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    FunctionClient invoker = invoker(node(), new LeaseOptions());
    ResultStream stream = invoker.stream("parts", count(1_000_000), CallOptions.DEFAULT);
    Promise<Throwable> failed = Promise.promise();
    stream.exceptionHandler(failed::tryComplete);
    stream.handler(part -> {
      if (part.getInt(0) < 999_900) {
        stream.cancel();
      }
    });
    assertEquals(Reason.CANCELLED, ((FunctionException) await(failed.future())).reason());
    until("the function was told", () -> stopped.get() != null);
    assertFails(Reason.FUNCTION_FAILED, "asked for a single result", invoker.invoke("parts", count(1)));
    assertFails(Reason.UNKNOWN_FUNCTION, "'nothing'", invoker.stream("nothing", Buffer.buffer(), CallOptions.DEFAULT).result());
  }

  @Test
  void aPartThatNoMessageHoldsFailsItsFunction() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    FunctionClient invoker = invoker(node(), new LeaseOptions());
    int largest = options().getMaxMessageSize() - 9;
    ResultStream stream = invoker.stream("part-of-a-size", count(largest), CallOptions.DEFAULT);
    Promise<Integer> length = Promise.promise();
    stream.handler(part -> length.tryComplete(part.length()));
    assertEquals("over", await(stream.result()).toString());
    assertEquals(largest, (int) await(length.future()));
    assertFails(Reason.FUNCTION_FAILED, "a part of " + (largest + 1) + " bytes",
      invoker.stream("part-of-a-size", count(largest + 1), CallOptions.DEFAULT).result());
  }

  /** A part beyond the window is dropped, so the result would be incomplete. */
  @Test
  void aFunctionThatDoesNotWaitForRoomFails() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    FunctionClient invoker = invoker(node(), new LeaseOptions());
    assertEquals("over", await(invoker.stream("hasty", count(5), CallOptions.DEFAULT).result()).toString());
    ResultStream stream = invoker.stream("hasty", count(1_000), CallOptions.DEFAULT);
    stream.pause();
    assertFails(Reason.FUNCTION_FAILED, "the previous write has not completed", stream.result());
    assertEquals("on", await(invoker.invoke("echo", Buffer.buffer("on"))).toString());
  }

  @Test
  void partsBeforeFailureAreDelivered() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    Node client = node();
    List<String> events = new CopyOnWriteArrayList<>();
    Promise<Void> failed = Promise.promise();
    await(client.vertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        FunctionClient invoker = FunctionClient.create(client.rdma);
        return invoker.lease(new LeaseOptions()).onSuccess(v -> invoker.stream("parts-then-failure", count(3), CallOptions.DEFAULT)
          .handler(part -> events.add("part " + part.getInt(0)))
          .exceptionHandler(cause -> {
            events.add("failure");
            failed.complete();
          }));
      }
    }));
    await(failed.future());
    assertEquals(List.of("part 3", "part 2", "part 1", "failure"), events);
  }
}
