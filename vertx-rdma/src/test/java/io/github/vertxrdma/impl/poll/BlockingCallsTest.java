package io.github.vertxrdma.impl.poll;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BlockingCallsTest {
  @Test
  void callFailsWithoutAThreadAndLaterCallsAreMade() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      AtomicBoolean refuses = new AtomicBoolean(true);
      Executor executor = task -> {
        if (refuses.get()) {
          throw new OutOfMemoryError("unable to create native thread: possibly out of memory or process/resource limits reached");
        }
        ForkJoinPool.commonPool().execute(task);
      };
      BlockingCalls calls = new BlockingCalls(((VertxInternal) vertx).createEventLoopContext(), executor);
      Throwable cause = assertThrows(ExecutionException.class, () -> await(calls.call(() -> "first"))).getCause();
      assertEquals(RdmaException.Reason.LIMIT, assertInstanceOf(RdmaException.class, cause).reason());
      assertTrue(cause.getMessage().contains("'ulimit -u', TasksMax= of a systemd unit or --pids-limit of a container"), cause::getMessage);
      refuses.set(false);
      assertEquals("second", await(calls.call(() -> "second")));
    } finally {
      await(vertx.close());
    }
  }
}
