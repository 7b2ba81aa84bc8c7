package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A call with short messages allocates little: its two sides, metadata, messages, and a buffer for each received frame. */
@Tag("alone")
@Timeout(180)
class ShortCallsTest extends Nodes {
  private static final int WARM_UP = Integer.getInteger("calls.warm", 20_000);
  private static final int CALLS = Integer.getInteger("calls.count", 5_000);
  /** Maximum number of measurements, which are repeated until all code is compiled. */
  private static final int ROUNDS = 20;
  /** Bytes that both sides allocate: 2,100 if all code is compiled, up to 2,850 before. */
  private static final long MOST = 2_600;
  private static final Buffer MESSAGE = Buffer.buffer(new byte[64]);

  @Override
  String fabric() {
    return "shm";
  }

  // Only the default compiler removes temporary objects.
  @Tag("full")
  @Test
  void aCallOf64BytesAllocatesLittle() throws Exception {
    AtomicLong serving = new AtomicLong();
    RdmaGrpcServer server = server(node(), new RdmaGrpcServerOptions());
    serve(server, "Echo", call -> {
      serving.set(Thread.currentThread().threadId());
      call.handler(call.response()::end);
    });
    await(server.listen(NAME));
    Node calling = node();
    RdmaGrpcClient client = client(calling, new RdmaGrpcClientOptions());
    Context context = calling.vertx().getOrCreateContext();
    AtomicLong thread = new AtomicLong();
    run(context, client, thread, WARM_UP);
    List<String> rounds = new ArrayList<>();
    long allocated = Long.MAX_VALUE;
    while (allocated >= MOST && rounds.size() < ROUNDS) {
      long served = Allocated.by(serving.get());
      long called = Allocated.by(thread.get());
      long start = System.nanoTime();
      run(context, client, thread, CALLS);
      long nanos = (System.nanoTime() - start) / CALLS;
      served = (Allocated.by(serving.get()) - served) / CALLS;
      called = (Allocated.by(thread.get()) - called) / CALLS;
      allocated = served + called;
      rounds.add(called + " bytes at the client, " + served + " at the server, " + nanos + " ns a call");
    }
    System.out.println(rounds);
    assertTrue(allocated < MOST, rounds::toString);
  }

  private static void run(Context context, RdmaGrpcClient client, AtomicLong thread, int calls) throws Exception {
    Promise<Void> done = Promise.promise();
    context.runOnContext(v -> {
      thread.set(Thread.currentThread().threadId());
      next(client, calls, done);
    });
    await(done.future());
  }

  private static void next(RdmaGrpcClient client, int left, Promise<Void> done) {
    if (left == 0) {
      done.complete();
      return;
    }
    unary(client, "Echo", MESSAGE).onComplete((answer, cause) -> {
      if (cause != null) {
        done.fail(cause);
      } else {
        next(client, left - 1, done);
      }
    });
  }
}
