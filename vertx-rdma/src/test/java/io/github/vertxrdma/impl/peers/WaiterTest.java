package io.github.vertxrdma.impl.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.support.Await;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lookup completes without a lock, even if the entry is added on the caller's own thread. */
@Timeout(60)
class WaiterTest {
  /** Milliseconds, more than a verticle needs to be deployed and undeployed. */
  private static final int SOON = 1_000;

  private final Vertx vertx = Vertx.vertx();
  private final DirectoryCache cache = new DirectoryCache();

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  @Test
  void lookupCompletesWithoutTheLock() throws Exception {
    assertFalse(await(locked(0)), "the lock was held when the entry came");
  }

  @Test
  void lookupOfAnExistingEntryCompletesWithoutTheLock() throws Exception {
    assertFalse(await(locked(1)), "the lock was held when the listener was added");
  }

  @Test
  void lookupTimesOut() throws Exception {
    Future<Object> waits = new PendingLookup<>(vertx, cache, Optional::empty).start(1, NoSuchElementException::new, WaiterTest::ignore);
    Await.until("it gives up", waits::isComplete);
    assertEquals(NoSuchElementException.class, waits.cause().getClass());
  }

  /** The verticle's timers end with it. */
  @Test
  void lookupTimesOutAfterItsVerticleEnded() throws Exception {
    Promise<Future<Object>> begun = Promise.promise();
    String verticle = await(vertx.deployVerticle(context -> {
      begun.complete(new PendingLookup<>(vertx, cache, Optional::empty).start(SOON, NoSuchElementException::new, WaiterTest::ignore));
      return Future.succeededFuture();
    }));
    await(vertx.undeploy(verticle));
    Future<Object> waits = await(begun.future());
    Await.until("it gives up", waits::isComplete);
    assertEquals(NoSuchElementException.class, waits.cause().getClass());
  }

  /** @param missed lookups that find nothing although the entry exists */
  private Future<Boolean> locked(int missed) {
    Promise<Boolean> held = Promise.promise();
    int[] asked = new int[1];
    vertx.runOnContext(v -> {
      if (missed > 0) {
        cache.put(NodeEntry.local("a", 1));
      }
      new PendingLookup<>(vertx, cache, () -> asked[0]++ < missed ? Optional.empty() : cache.node("a"))
        .start(30_000, NoSuchElementException::new, WaiterTest::ignore).onComplete(found -> held.complete(Thread.holdsLock(cache)));
      cache.put(NodeEntry.local("a", 1));
    });
    return held.future();
  }

  private static void ignore() {
    // Slow lookups are not tested here.
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }
}
