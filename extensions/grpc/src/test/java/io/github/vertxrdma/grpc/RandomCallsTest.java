package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.directory.RdmaDirectory;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.server.GrpcServerRequest;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls with deadlines and cancellations, while servers are killed and closed: each ends once, and nothing is left. */
class RandomCallsTest extends Nodes {
  private static final int UNDER_WAY = 64;
  private final AtomicInteger serving = new AtomicInteger();

  @Override
  String fabric() {
    return "shm";
  }

  private enum Way {
    UNARY, DEADLINE, CANCELLED, STREAM
  }

  private Node serving() throws Exception {
    Node node = node();
    RdmaGrpcServer server = server(node, new RdmaGrpcServerOptions());
    serve(server, "Echo", call -> {
      counted(call);
      call.last().onSuccess(message -> over(() -> call.response().end(message)));
    });
    serve(server, "Never", this::counted);
    serve(server, "Chat", call -> {
      counted(call);
      call.handler(message -> call.response().write(message));
      call.endHandler(v -> over(() -> call.response().end()));
    });
    await(server.listen(NAME));
    return node;
  }

  private void counted(GrpcServerRequest<Buffer, Buffer> call) {
    serving.incrementAndGet();
    call.errorHandler(error -> serving.decrementAndGet());
  }

  private void over(Runnable end) {
    serving.decrementAndGet();
    end.run();
  }

  @Test
  @Tag("full")
  @Timeout(120)
  void someCalls() throws Exception {
    calls(5_000);
  }

  @Test
  @Tag("long")
  @Timeout(900)
  void aMillionCalls() throws Exception {
    calls(1_000_000);
  }

  private static long objects() {
    return Heap.objects("ClientCall", "ServerRequest");
  }

  private void calls(int count) throws Exception {
    long before = objects();
    serving();
    Node ending = serving();
    try (ServerProcess killed = ServerProcess.start(options())) {
      calls(count, ending, killed);
    }
    until("each call is forgotten", () -> objects() <= before);
  }

  private void calls(int count, Node ending, ServerProcess killed) throws Exception {
    Node node = node();
    RdmaDirectory directory = await(node.rdma().directory());
    until("all servers are known", () -> directory.services(NAME).size() == 3);
    RdmaGrpcClient client = client(node, new RdmaGrpcClientOptions());
    Run run = new Run(node.vertx(), client, count);
    for (int i = 0; i < UNDER_WAY; i++) {
      node.vertx().runOnContext(v -> run.next());
    }
    until("a third of them are made", count, () -> run.ended.get() > count / 3);
    killed.close();
    until("two thirds of them are made", count, () -> run.ended.get() > count * 2L / 3);
    await(ending.vertx().close());
    assertEquals(true, run.all.await(count / 1_000 + 60, TimeUnit.SECONDS), () -> run.ended + " of " + count + " have ended");
    until("nothing is left at the servers", () -> serving.get() == 0);
    assertEquals(count, run.ended.get());
    assertEquals(0, run.twice.get(), "calls that ended twice");
    System.out.println(run.ways + ", " + run.failed + " failed");
  }

  private static void until(String what, int count, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60 + count / 1_000);
    while (!condition.getAsBoolean() && System.nanoTime() < end) {
      LockSupport.parkNanos(1_000_000);
    }
    assertEquals(true, condition.getAsBoolean(), what);
  }

  private static final class Run {
    private final Vertx vertx;
    private final RdmaGrpcClient client;
    private final int count;
    private final SplittableRandom random = new SplittableRandom(1);
    private final Map<Way, Integer> ways = new EnumMap<>(Way.class);
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger twice = new AtomicInteger();
    private final CountDownLatch all;

    Run(Vertx vertx, RdmaGrpcClient client, int count) {
      this.vertx = vertx;
      this.client = client;
      this.count = count;
      this.all = new CountDownLatch(count);
    }

    void next() {
      if (begun.incrementAndGet() > count) {
        return;
      }
      Way way;
      synchronized (this) {
        way = Way.values()[random.nextInt(Way.values().length)];
        ways.merge(way, 1, Integer::sum);
      }
      AtomicInteger ends = new AtomicInteger();
      call(client, way == Way.UNARY ? "Echo" : way == Way.STREAM ? "Chat" : "Never").compose(request -> made(request, way))
        .onComplete((v, cause) -> {
          if (ends.incrementAndGet() > 1) {
            twice.incrementAndGet();
          }
          if (cause != null) {
            failed.incrementAndGet();
          }
          ended.incrementAndGet();
          all.countDown();
          vertx.runOnContext(again -> next());
        });
    }

    private static Future<Void> made(GrpcClientRequest<Buffer, Buffer> request, Way way) {
      switch (way) {
        case UNARY -> request.end(Buffer.buffer("x"));
        case DEADLINE -> request.timeout(2, TimeUnit.MILLISECONDS).write(Buffer.buffer("x"));
        case CANCELLED -> {
          request.write(Buffer.buffer("x"));
          request.cancel();
        }
        case STREAM -> {
          request.write(Buffer.buffer("x"));
          request.end(Buffer.buffer("y"));
        }
      }
      return request.response().compose(GrpcClientResponse::end);
    }
  }
}
